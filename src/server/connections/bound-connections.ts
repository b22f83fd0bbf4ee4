import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../base/service-error.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Connections } from './connections.ts';

export type BoundedServer = {
  readonly connections: Connections;
  /** True if connections are served after their TLS handshake. */
  readonly isTls: boolean;
  readonly ownerOf: (socket: Socket) => ConnectionOwner;
  /** Tells the peer of a refused connection the reason. */
  readonly refuse: (socket: Socket, reason: ServiceError) => void;
};

/**
 * Enforces the connection limits before a server handles a connection. The cost is per connection; requests cost nothing.
 *
 * @returns a function that finds the connection of a stream.
 */
export function boundConnections(
  server: Server,
  { connections, isTls, ownerOf, refuse }: BoundedServer,
): (stream: Duplex) => Connection | undefined {
  const known = new WeakMap<Duplex, Connection>();
  /** The decisions about connections that are still in their handshake, by the peer's address and port. */
  const opening = new Map<string, Connection | ServiceError>();
  intercept(server, 'connection', (socket, next) => {
    const opened = connections.open(socket, isTls ? handshakeOwner(socket) : ownerOf(socket));
    if (opened instanceof Connection) known.set(socket, opened);
    if (isTls) {
      const peer = peerOf(socket);
      opening.set(peer, opened);
      socket.once('close', () => {
        if (opening.get(peer) === opened) opening.delete(peer);
      });
    }
    if (opened instanceof Connection) next();
    else connections.answer(socket, isTls ? next : () => refuse(socket, opened));
  });
  if (isTls) {
    intercept(server, 'secureConnection', (socket, next) => {
      const opened = opening.get(peerOf(socket));
      opening.delete(peerOf(socket));
      if (opened instanceof ServiceError) return refuse(socket, opened);
      if (opened === undefined) return void socket.destroy();
      known.set(socket, opened);
      opened.take(ownerOf(socket));
      next();
    });
  }
  return (stream) => known.get(stream);
}

/** Returns the peer of a connection, in the form in which gRPC calls name it too. */
export function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/** Nothing can be sent before the handshake is done. */
function handshakeOwner(socket: Socket): ConnectionOwner {
  return { isInUse: () => false, progress: () => 0, shed: () => void socket.destroy() };
}

type Listener = (this: Server, socket: Socket) => void;

/** Runs before the first listener of an event, which is the one that serves. */
function intercept(server: Server, event: string, before: (socket: Socket, next: () => void) => void): void {
  const serve = server.listeners(event).at(0) as Listener;
  server.off(event, serve);
  server.on(event, (socket: Socket) => before(socket, () => serve.call(server, socket)));
}
