import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Where a request comes from: the other end of its connection, or, behind a proxy of the operator's, what that proxy wrote
 * last into X-Forwarded-For; what stands before it anyone can have written. Undefined if it is not known.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  isBehindProxy: boolean,
): string | undefined {
  if (!isBehindProxy) return socket.remoteAddress;
  const forwarded = headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',');
  const last = hops.at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? undefined : last;
}
