import type { Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';
import { peerOf } from '../connections/bound-connections.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import { type Listener, type ListenOptions, openListener } from '../connections/listener.ts';
import type { TlsOptions } from '../tls/tls-files.ts';
import type { GrpcPeers } from './grpc-peers.ts';
import { refuseGrpc } from './refuse-grpc.ts';

export type GrpcListenerOptions = ListenOptions & {
  readonly tls?: TlsOptions | undefined;
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections?: Connections | undefined;
};

const HANDSHAKE_MS = 10_000;
/** Most milliseconds that a connection closed to make room may take to drain. */
const DRAIN_MS = 1_000;

/**
 * Listens for a gRPC server and passes it the connections: grpc-js can neither limit them itself, nor use TLS with a
 * certificate that changes. Each connection has its own injector, so that it can be drained separately.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function listenForGrpc(
  server: Server,
  peers: GrpcPeers,
  options: GrpcListenerOptions,
): Promise<Listener> {
  const drains = new WeakMap<Socket, () => void>();
  const serve = (socket: Socket): void => {
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    const peer = peerOf(socket);
    peers.add(peer, () => socket.destroy());
    drains.set(socket, () => injector.drain(DRAIN_MS));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      peers.delete(peer);
      injector.destroy();
    });
    injector.injectConnection(socket);
  };
  const ownerOf = (socket: Socket): ConnectionOwner => {
    const peer = peerOf(socket);
    return {
      isInUse: () => peers.hasStreams(peer),
      progress: () => peers.callsOf(peer),
      shed: () => (drains.get(socket) ?? (() => socket.destroy()))(),
    };
  };
  return await openListener({
    ...options,
    ...{ protocol: 'h2', handshakeTimeoutMs: HANDSHAKE_MS, serve },
    bounds: { connections: options.connections, ownerOf, refuse: refuseGrpc },
  });
}
