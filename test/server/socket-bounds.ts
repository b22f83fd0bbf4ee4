import type { SocketLimits } from '../../src/server/websocket/live-sockets.ts';
import type { SessionOptions } from '../../src/server/websocket/socket-session.ts';

/** Bounds of the WebSockets of a gateway. */
export type SocketBounds = SocketLimits &
  Pick<SessionOptions, 'maxCalls' | 'maxSubscriptions' | 'maxWaitingBytes' | 'idleTimeoutMs'>;

/** Those that no test meets. */
export const SOCKET_BOUNDS: SocketBounds = {
  maxSockets: 100,
  maxSocketsPerKey: 100,
  maxSubscriptions: 100,
  maxSubscriptionsPerKey: 1_000,
  maxCalls: 32,
  maxWaitingBytes: 1024 * 1024,
  idleTimeoutMs: 60_000,
};
