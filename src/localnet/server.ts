import type { HttpServer } from '../server/http/http-server.ts';
import { type ConnectionLimits, Connections } from '../server/connections/connections.ts';
import { readDescriptorLimit } from '../server/connections/descriptor-limit.ts';
import { fitDescriptors } from '../server/connections/fit-descriptors.ts';
import { MAX_BODY_BYTES, startNodeServer } from '../server/http/node-server.ts';
import type { ServeCall } from '../rpc/call.ts';
import { callMethod } from './call-method.ts';
import type { Ledger } from './ledger.ts';
import { printResult } from './printed-result.ts';
import { type SocketOptions, SocketServer } from './socket/socket-server.ts';

export type RpcServerOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly sockets?: Partial<SocketOptions>;
  /** Limits on connections, for tests. */
  readonly connections?: Partial<ConnectionLimits>;
};

/** More than any gateway opens, on all ports and from one address. */
const CONNECTION_LIMITS: ConnectionLimits = { maxConnections: 10_000, maxPerAddress: 5_000 };
/** File descriptors reserved for the ledger itself. */
const RESERVED_DESCRIPTORS = 64;

/** The largest account in hexadecimal digits, and the rest of a call: cheat codes write accounts that no transaction could carry. */
const CHEAT_BODY_BYTES = 22 * 1024 * 1024;

/** `socketPorts`: the ports that serve WebSocket. */
export type RpcServer = Omit<HttpServer, 'closeAfterAnswers'> & { readonly socketPorts: readonly number[] };

const MAX_PORT = 65_535;

/**
 * Serves the ledger's JSON-RPC like a validator: on every path, without a key, and `/health`. WebSocket is on the same port and, unless any
 * free port is requested, on the next one too, the default of clients; the last port has no next one.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startRpcServer(ledger: Ledger, options: RpcServerOptions): Promise<RpcServer> {
  const { host, port } = options;
  const maxBodyBytes = ledger.cheatCodes ? CHEAT_BODY_BYTES : MAX_BODY_BYTES;
  const sockets = new SocketServer(ledger, { maxMessageBytes: maxBodyBytes, ...options.sockets });
  const serve: ServeCall = async ({ method, params }) => ({
    kind: 'result',
    json: printResult(await callMethod(ledger, method, params)),
  });
  const wanted = { ...CONNECTION_LIMITS, ...options.connections };
  const descriptors = { descriptors: readDescriptorLimit(), reserved: RESERVED_DESCRIPTORS };
  const connections = new Connections(fitDescriptors(wanted, descriptors));
  const listening = {
    host,
    portSetting: '--rpc-port',
    onUpgrade: sockets.upgrade,
    connections,
    maxBodyBytes,
  };
  const servers: HttpServer[] = [];
  const close = async (deadlineMs: number): Promise<void> => {
    const started = performance.now();
    await sockets.close(deadlineMs);
    const leftMs = Math.max(0, deadlineMs - (performance.now() - started));
    await Promise.all(servers.map((server) => server.close(leftMs)));
    connections.close();
  };
  try {
    for (const each of portsFrom(port))
      servers.push(await startNodeServer(serve, { ...listening, port: each }));
  } catch (error) {
    await close(0);
    throw error;
  }
  const socketPorts = servers.map((server) => server.port);
  return { host, port: socketPorts[0] ?? port, socketPorts, close };
}

function portsFrom(port: number): readonly number[] {
  return port > 0 && port < MAX_PORT ? [port, port + 1] : [port];
}
