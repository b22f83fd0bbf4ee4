import { serviceError } from '../../base/service-error.ts';

/** The largest WebSocket message that validators read; a longer one costs the connection, and with it everyone's subscriptions. */
const MAX_MESSAGE_BYTES = 4_096;
/** The rest of a call: version, id of up to 16 digits, names of the members. */
const ENVELOPE_BYTES = 64;

/**
 * Rejects params that a node would not read.
 *
 * @throws ServiceError `subscriptionTooLarge` if the params do not fit into a message.
 */
export function assertSendable(name: string, params: string): void {
  const limit = MAX_MESSAGE_BYTES - ENVELOPE_BYTES - name.length;
  const value = Buffer.byteLength(params);
  if (value > limit) throw serviceError('subscriptionTooLarge', { limit, value });
}
