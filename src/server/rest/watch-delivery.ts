import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Responses that have left this process, by their connection: the next request on it confirms them. */
const UNCONFIRMED = new WeakMap<Socket, () => void>();

/** After a client has closed its connection, a reset for bytes still in flight may take this long: a slow round trip. */
const IN_FLIGHT_MS = 1_000;

/**
 * Watches a response that is not sent yet. Resolves when it has ended: true if the client is known to have received all of it. That the
 * system took every byte proves little: some megabytes may wait for a client that never reads them. The connection shows later that a
 * client received all, by its next request or by an orderly end; or that it left before, by a reset (RFC 9293, section 3.10.7). A
 * connection that is silent until it is closed here proves nothing: false.
 */
export function watchDelivery(response: ServerResponse): Promise<boolean> {
  const { socket } = response.req;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isSent = false;
  const onNext = (): void => resolve(true);
  const onEnd = (): void => {
    if (!isSent) return;
    // The end of a last answer was sent behind its last byte: the client answers that.
    if (socket.writableEnded) resolve(true);
    else probe(socket, resolve);
  };
  const onClose = (): void => resolve(false);
  response.once('finish', () => {
    isSent = true;
    UNCONFIRMED.set(socket, onNext);
  });
  // Runs before node:http ends its side of the connection.
  socket.prependOnceListener('end', onEnd);
  socket.once('close', onClose);
  void promise.then(() => {
    socket.off('end', onEnd).off('close', onClose);
    if (UNCONFIRMED.get(socket) === onNext) UNCONFIRMED.delete(socket);
  });
  return promise;
}

/** Call it with each request: its sender has read the previous response on the connection. */
export function confirmDelivery(socket: Socket): void {
  UNCONFIRMED.get(socket)?.();
}

/**
 * Finds out if a client that has closed its connection did so after the last byte. The connection is held open for as long as a
 * reset may come; after one even an empty write fails.
 */
function probe(socket: Socket, onDrained: (isDrained: boolean) => void): void {
  const { end } = socket;
  socket.end = () => socket;
  setTimeout(() => {
    socket.end = end;
    socket.write('', (error) => {
      onDrained(error === null || error === undefined);
      socket.end();
    });
  }, IN_FLIGHT_MS).unref();
}
