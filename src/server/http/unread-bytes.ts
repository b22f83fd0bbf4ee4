import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The most bytes that are discarded after an answer: the largest body that can be configured. A client that sends more is cut off. */
export const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
/** Milliseconds that a client has to end its side of a connection. */
const CLOSE_MS = 5_000;

/**
 * Reads and discards the rest of a request that is answered before it has arrived, so that the client gets the answer, and the
 * next request on its connection can be read. The caller limits the time.
 */
export function discardRest(request: IncomingMessage): void {
  request.on('data', createLimit(request.socket)).resume();
}

/**
 * Ends this side of a connection, after `last`. What the client still sends is discarded until it ends its own side, for
 * `limitMs` at most: the system resets a connection that is closed with bytes unread, and a client that is reset may lose what
 * it was sent (RFC 9112, section 9.6).
 */
export function endGently(socket: Duplex, last?: Buffer | string, limitMs: number = CLOSE_MS): void {
  const timer = setTimeout(() => socket.destroy(), limitMs).unref();
  socket.once('close', () => clearTimeout(timer));
  // node:http parses what arrives until 'data' is listened to, and nothing would arrive if that began while it is paused.
  const discard = (): void => void socket.removeAllListeners('data').on('data', createLimit(socket));
  socket.pause().once('resume', discard).resume().end(last);
}

/** Creates a listener of 'data' that destroys a connection which receives more than the limit. */
function createLimit(socket: Duplex): (chunk: Buffer) => void {
  let leftBytes = MAX_DISCARDED_BYTES;
  return ({ length }) => {
    leftBytes -= length;
    if (leftBytes < 0) socket.destroy();
  };
}
