import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Responses that have left this process, by their connection: what a further request on it says of them. */
const UNCONFIRMED = new WeakMap<Socket, () => void>();

/** How long after a client has closed its connection a reset may come for bytes that were on their way to it: a slow round trip. */
const IN_FLIGHT_MS = 1_000;

/**
 * Watches a response that is not sent yet. Resolves when it has ended: true where the client was seen to take it whole. That the system took
 * every byte says little: some megabytes of it may wait for a reader who never comes. Of a client that took all, the connection says so
 * afterwards, by its next request or by an orderly end; of one that left before, by a reset (RFC 9293, section 3.10.7). A connection that
 * says nothing until it is closed here says nothing about the client either: false.
 */
export function watchDelivery(response: ServerResponse): Promise<boolean> {
  const { socket } = response.req;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isSent = false;
  const onNext = (): void => resolve(true);
  const onEnd = (): void => {
    if (!isSent) return;
    // Of a last answer the end was told behind its last byte: the client answers that.
    if (socket.writableEnded) resolve(true);
    else probe(socket, resolve);
  };
  const onClose = (): void => resolve(false);
  response.once('finish', () => {
    isSent = true;
    UNCONFIRMED.set(socket, onNext);
  });
  // Before node:http ends the connection for its part.
  socket.prependOnceListener('end', onEnd);
  socket.once('close', onClose);
  // node:http would close the connection of a last answer at once, and never hear how it went. It is closed for silence too.
  socket.destroySoon = () => void socket.end();
  void promise.then(() => {
    socket.off('end', onEnd).off('close', onClose);
    if (UNCONFIRMED.get(socket) === onNext) UNCONFIRMED.delete(socket);
  });
  return promise;
}

/** To be called with each request: whoever sends it has read the response before it on the connection. */
export function confirmDelivery(socket: Socket): void {
  UNCONFIRMED.get(socket)?.();
}

/**
 * Tells whether a client that has closed its connection did so behind the last byte. It is held open for as long as a reset may come, which
 * even an empty write then fails for.
 */
function probe(socket: Socket, tell: (isDrained: boolean) => void): void {
  const { end } = socket;
  socket.end = () => socket;
  setTimeout(() => {
    socket.end = end;
    socket.write('', (error) => {
      tell(error === null || error === undefined);
      socket.end();
    });
  }, IN_FLIGHT_MS).unref();
}
