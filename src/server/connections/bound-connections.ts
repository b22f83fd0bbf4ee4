import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../base/service-error.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Connections } from './connections.ts';

export type Bounds = {
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections: Connections | undefined;
  readonly ownerOf: (socket: Socket) => ConnectionOwner;
  /** Tells the peer of a refused connection the reason. */
  readonly refuse: (socket: Socket, reason: ServiceError) => void;
  /** Called with the connection of each admitted stream. */
  readonly onAdmitted?: (stream: Duplex, connection: Connection) => void;
};

type Accept = (socket: Socket, next: (socket: Socket) => void) => void;

export type BoundConnections = {
  /** Passes a new connection on to be served, or to its TLS handshake. */
  readonly accept: Accept;
  /** Passes a connection on to be served after its TLS handshake. */
  readonly acceptSecure: Accept;
};

const UNLIMITED: BoundConnections = {
  accept: (socket, next) => next(socket),
  acceptSecure: (socket, next) => next(socket),
};

/** Enforces the connection limits before connections are served. The cost is per connection; requests cost nothing. */
export function boundConnections(
  { connections, ownerOf, refuse, onAdmitted = () => undefined }: Bounds,
  isTls: boolean,
): BoundConnections {
  if (connections === undefined) return UNLIMITED;
  /** The decisions about connections that are still in their handshake, by the peer's address and port. */
  const opening = new Map<string, Connection | ServiceError>();
  return {
    accept: (socket, next) => {
      const opened = connections.open(socket, isTls ? handshakeOwner(socket) : ownerOf(socket));
      if (opened instanceof Connection) onAdmitted(socket, opened);
      if (isTls) {
        const peer = peerOf(socket);
        opening.set(peer, opened);
        socket.once('close', () => {
          if (opening.get(peer) === opened) opening.delete(peer);
        });
      }
      if (opened instanceof Connection) next(socket);
      else connections.answer(socket, () => (isTls ? next(socket) : refuse(socket, opened)));
    },
    acceptSecure: (socket, next) => {
      const opened = opening.get(peerOf(socket));
      opening.delete(peerOf(socket));
      if (opened instanceof ServiceError) return refuse(socket, opened);
      if (opened === undefined) return void socket.destroy();
      onAdmitted(socket, opened);
      opened.take(ownerOf(socket));
      next(socket);
    },
  };
}

/** Returns the peer of a connection, in the form in which gRPC calls name it too. */
export function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/** Nothing can be sent before the handshake is done. */
function handshakeOwner(socket: Socket): ConnectionOwner {
  return { isInUse: () => false, progress: () => 0, shed: () => void socket.destroy() };
}
