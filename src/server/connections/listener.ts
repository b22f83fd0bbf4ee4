import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { Duplex } from 'node:stream';
import { serviceError, ServiceError } from '../../core/service-error.ts';
import type { TlsOptions } from '../tls/tls-files.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Connections } from './connections.ts';

/** The address to listen on. */
export type ListenOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The name of the port's setting, for the text of `portTaken`. */
  readonly portSetting: string;
};

export type ListenerOptions = ListenOptions & {
  readonly tls?: TlsOptions | undefined;
  /** The ALPN name of the protocol (RFC 7301). */
  readonly protocol: 'http/1.1' | 'h2';
  readonly handshakeTimeoutMs: number;
  /** The connection limits, and what they need of the protocol. */
  readonly bounds: Bounds;
  /** Serves an admitted connection, with TLS after its handshake. */
  readonly serve: (socket: Socket) => void;
};

export type Listener = {
  readonly port: number;
  /** Accepts the connections that clients have already opened, then no more; resolves then. */
  readonly stop: () => Promise<void>;
  /** Resolves when it was stopped and all connections have closed. */
  readonly closed: Promise<void>;
  /** Cuts the open connections, those in a TLS handshake included. */
  readonly cut: () => void;
};

/**
 * Accepts the connections of one address, limits them, and completes their TLS handshakes, before a protocol serves them.
 *
 * @throws ServiceError `portTaken`, or `listenFailed` with the system's reason.
 */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { tls, bounds, serve } = options;
  const sockets = new Set<Socket>();
  const closed = Promise.withResolvers<void>();
  const bounded = boundConnections(bounds, tls !== undefined);
  const admitted = tls === undefined ? serve : startHandshakes(tls, options, bounded.acceptSecure);
  // Like node:http, which answers a client that has ended its side.
  const allowHalfOpen = tls === undefined && options.protocol === 'http/1.1';
  const server = createServer({ noDelay: true, allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    bounded.accept(socket, admitted);
  });
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      await acceptQueued(server);
      server.close(() => closed.resolve());
    },
    closed: closed.promise,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Milliseconds without a new connection after which the queue of the system counts as empty. */
const QUIET_MS = 20;
/** Milliseconds after which the listener is closed even if connections keep arriving. */
const QUEUE_DEADLINE_MS = 500;

/** The system resets connections that a closed listener has not accepted, and Node accepts one in each turn of its event loop. */
async function acceptQueued(server: Server): Promise<void> {
  const deadline = performance.now() + QUEUE_DEADLINE_MS;
  let quietSince = performance.now();
  const onConnection = (): void => {
    quietSince = performance.now();
  };
  server.on('connection', onConnection);
  while (performance.now() < Math.min(quietSince + QUIET_MS, deadline)) await setTimeout(1);
  server.off('connection', onConnection);
}

type Serve = (socket: Socket) => void;

/** Returns a function that begins the handshake of a connection; `accept` gets it when the handshake is done. */
function startHandshakes(
  { cert, key, follow }: TlsOptions,
  { protocol, handshakeTimeoutMs, serve }: ListenerOptions,
  accept: (socket: Socket, next: Serve) => void,
): Serve {
  const options = { handshakeTimeout: handshakeTimeoutMs, ALPNProtocols: [protocol] };
  const server = createTlsServer({ ...options, cert, key }, (socket) => accept(socket, serve));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  follow?.((pair) => server.setSecureContext(pair));
  return (socket) => void server.emit('connection', socket);
}

/** Fails like `openListener` if the address cannot be listened on, before anything else has been started. */
export async function assertListenable(options: ListenOptions): Promise<void> {
  const server = createServer();
  await listen(server, options);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function listen(server: Server, { host, port, portSetting }: ListenOptions): Promise<void> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(serviceError('portTaken', { address, setting: portSetting }, error));
      else reject(serviceError('listenFailed', { address, reason: error.message }, error));
    });
    server.listen({ host, port }, resolve);
  });
}

type Bounds = {
  /** The connection limits that it shares with other listeners. Absent: unlimited. */
  readonly connections: Connections | undefined;
  readonly ownerOf: (socket: Socket) => ConnectionOwner;
  /** Tells the peer of a refused connection the reason. */
  readonly refuse: (socket: Socket, reason: ServiceError) => void;
  /** Called with the connection of each admitted stream. */
  readonly onAdmitted?: (stream: Duplex, connection: Connection) => void;
};

type Accept = (socket: Socket, next: (socket: Socket) => void) => void;

type BoundConnections = {
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
function boundConnections(
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
