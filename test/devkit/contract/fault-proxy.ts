import { createServer, type IncomingMessage } from 'node:http';
import { parseJson } from '../../../runtime/json.ts';
import { post, type RpcTarget } from '../../../src/devkit/contract/json-rpc.ts';

export type RpcRequest = {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
};

type Refusal = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Something wrong with a server: it takes calls as other calls, or answers other text than it should. */
export type Fault = {
  /** Answers a call itself; undefined where it passes it on. `url` is the path and query that were asked for. */
  readonly refuse?: (request: RpcRequest, url: string) => Refusal | undefined;
  readonly request?: (request: RpcRequest) => RpcRequest;
  readonly reply?: (text: string, request: RpcRequest) => string;
};

export type FaultProxy = RpcTarget & { readonly stop: () => Promise<void> };

/** Longer than a client is busy with the largest answer. */
const KEEP_ALIVE_MS = 60_000;

/** Serves what the target serves, with one fault. */
export async function startFaultProxy(target: RpcTarget, fault: Fault): Promise<FaultProxy> {
  const server = createServer((incoming, outgoing) => {
    exchange(target, fault, incoming).then(
      ({ status, headers, body }) =>
        outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
      (error: unknown) => outgoing.writeHead(502).end(String(error)),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(0, '127.0.0.1', done);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return { rpcUrl: `http://127.0.0.1:${address.port}`, stop };
}

async function exchange(target: RpcTarget, fault: Fault, incoming: IncomingMessage): Promise<Refusal> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = parseJson(Buffer.concat(chunks).toString()) as RpcRequest;
  const refusal = fault.refuse?.(request, incoming.url ?? '');
  if (refusal !== undefined) return refusal;
  const { text } = await post(target, fault.request?.(request) ?? request);
  return { status: 200, body: fault.reply?.(text, request) ?? text };
}
