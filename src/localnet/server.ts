import type { HttpServer } from '../server/http/http-server.ts';
import { startNodeServer } from '../server/http/node-server.ts';
import { callMethod } from './call-method.ts';
import type { Ledger } from './ledger.ts';
import { printResult } from './printed-result.ts';

export type RpcServerOptions = { readonly host: string /** 0: any free port. */; readonly port: number };

/**
 * Serves the ledger's JSON-RPC like a validator: on every path, without a key, and `/health`.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startRpcServer(ledger: Ledger, { host, port }: RpcServerOptions): Promise<HttpServer> {
  return startNodeServer(
    async ({ method, params }) => ({
      kind: 'result',
      json: printResult(await callMethod(ledger, method, params)),
    }),
    { host, port, portSetting: '--rpc-port' },
  );
}
