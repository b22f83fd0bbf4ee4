import { once } from 'node:events';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { serviceError } from '../../base/service-error.ts';
import { boundConnections, peerOf } from '../connections/bound-connections.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { ListenOptions } from '../http/http-server.ts';
import type { TlsOptions } from '../tls/tls-files.ts';
import type { GrpcPeers } from './grpc-peers.ts';
import { refuseGrpc } from './refuse-grpc.ts';

export type GrpcListenerOptions = ListenOptions & {
  readonly tls?: TlsOptions | undefined;
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections?: Connections | undefined;
};

export type GrpcListener = {
  readonly port: number;
  /** Accepts no more connections. Resolves when the open ones have closed. */
  readonly stop: () => Promise<void>;
  /** Cuts the open connections. */
  readonly cut: () => void;
};

const HANDSHAKE_MS = 10_000;
/** Most milliseconds that a connection closed to make room may take to drain. */
const DRAIN_MS = 1_000;

/**
 * Listens for a gRPC server and passes it the connections: grpc-js can neither limit them itself, nor use TLS with a
 * certificate that changes. Each connection has its own injector, so that it can be drained separately.
 *
 * @throws ServiceError `listenFailed`.
 */
export async function listenForGrpc(
  server: Server,
  peers: GrpcPeers,
  options: GrpcListenerOptions,
): Promise<GrpcListener> {
  const drains = new WeakMap<Socket, () => void>();
  const serve = (socket: Socket): void => {
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    const peer = peerOf(socket);
    peers.add(peer);
    drains.set(socket, () => injector.drain(DRAIN_MS));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      peers.delete(peer);
      injector.destroy();
    });
    injector.injectConnection(socket);
  };
  const { tls, connections } = options;
  const listener = createListener(serve, tls);
  const sockets = new Set<Socket>();
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(listener, options);
  if (connections !== undefined) {
    const ownerOf = (socket: Socket): ConnectionOwner => {
      const peer = peerOf(socket);
      return {
        isInUse: () => peers.hasStreams(peer),
        progress: () => peers.callsOf(peer),
        shed: () => (drains.get(socket) ?? (() => socket.destroy()))(),
      };
    };
    boundConnections(listener, { connections, isTls: tls !== undefined, ownerOf, refuse: refuseGrpc });
  }
  return {
    port: (listener.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => void listener.close(() => resolve())),
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function createListener(serve: (socket: Socket) => void, tls: TlsOptions | undefined): NetServer {
  if (tls === undefined) return createServer({ noDelay: true }, serve);
  const { cert, key, follow } = tls;
  const limits = { noDelay: true, handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['h2'] };
  const listener = createTlsServer({ ...limits, cert, key }, serve);
  follow?.((pair) => listener.setSecureContext(pair));
  return listener;
}

async function listen(listener: NetServer, { host, port }: ListenOptions): Promise<void> {
  listener.listen({ host, port });
  try {
    await once(listener, 'listening');
  } catch (error) {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('listenFailed', { address, reason }, error);
  }
}
