import { WebSocket } from 'ws';
import { serviceError } from '../base/service-error.ts';
import { type ConnectionOptions, PubsubConnection } from './pubsub-connection.ts';

export type OpenOptions = ConnectionOptions & {
  /** Aborted when the connection is not wanted any more, while it is being opened. */
  readonly over?: AbortSignal;
};

/** The largest notification: an account of 10 MiB as base64, or a block, with room to spare. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** The node answered the request for a WebSocket with something else. */
export const NOT_SERVED = 'notServed';

/**
 * Opens a WebSocket to a node.
 *
 * @returns the connection, or `notServed` if the node answers at this address but takes no WebSocket there.
 * @throws ServiceError `upstreamUnavailable`.
 */
export function openPubsub(
  url: string,
  { over, ...options }: OpenOptions,
): Promise<PubsubConnection | typeof NOT_SERVED> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: options.connectTimeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
    });
    const leave = (): void => socket.terminate();
    const forget = (): void => over?.removeEventListener('abort', leave);
    over?.addEventListener('abort', leave);
    socket.once('unexpected-response', (request) => {
      forget();
      resolve(NOT_SERVED);
      request.destroy();
    });
    socket.once('open', () => {
      forget();
      resolve(new PubsubConnection(socket, options));
    });
    socket.on('error', (error) => {
      forget();
      reject(serviceError('upstreamUnavailable', {}, error));
    });
    if (over?.aborted === true) leave();
  });
}
