import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The most bytes that are discarded after an answer: the largest body that can be configured. A client that sends more is cut off. */
export const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
/**
 * Bytes of refused bodies that are read in a second, on all connections together. They are allocated first: without a limit, V8 would
 * collect its whole heap several times a second.
 */
const DISCARDED_PER_SECOND = 32 * 1024 * 1024;
/** Milliseconds of this rate that may be discarded at once if they were unused before: a body of some megabytes waits for nothing. */
const BURST_MS = 250;
/** Milliseconds that an answer may wait for the rest of its request. */
const REST_MS = 1_000;
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
 * Discards the rest of a request, and resolves when it has arrived or the client has left, after a second at the latest. It is read at
 * no more than `DISCARDED_PER_SECOND`.
 */
export async function restArrived(request: IncomingMessage): Promise<void> {
  if (request.complete || request.headers.expect !== undefined) return;
  const arrived = Promise.withResolvers<void>();
  const timer = setTimeout(arrived.resolve, REST_MS);
  const slow = ({ length }: Buffer): void => {
    const waitMs = countDiscarded(length);
    if (waitMs <= 0) return;
    request.pause();
    setTimeout(() => request.resume(), waitMs);
  };
  request.once('end', arrived.resolve).once('close', arrived.resolve).on('data', slow);
  discardRest(request);
  await arrived.promise;
  request.off('data', slow);
  clearTimeout(timer);
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

/** The time until which the rate is used up by the bytes discarded so far, in milliseconds. */
let paidUntilMs = 0;

/** Counts discarded bytes; returns the milliseconds for which no more may be discarded. */
function countDiscarded(bytes: number): number {
  const nowMs = performance.now();
  paidUntilMs = Math.max(paidUntilMs, nowMs - BURST_MS) + (bytes / DISCARDED_PER_SECOND) * 1_000;
  return paidUntilMs - nowMs;
}
