import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { compileCidrs } from '../base/cidr.ts';

/** Whether the other end of a connection is a proxy of the operator's, whose X-Forwarded-For is believed. */
export type TrustsPeer = (address: string | undefined) => boolean;

export type ProxySettings = {
  /** Whether there are proxies at all. */
  readonly isBehindProxy: boolean;
  /** Networks of proxies beside loopback, in CIDR notation. */
  readonly trustedProxies: readonly string[];
};

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Makes the settings ready to be asked about peers: loopback is trusted where there is a proxy, and so is what lies in the networks. */
export function createTrustsPeer({ isBehindProxy, trustedProxies }: ProxySettings): TrustsPeer {
  return isBehindProxy ? compileCidrs([...LOOPBACK, ...trustedProxies]) : () => false;
}

/**
 * Where a request comes from: the other end of its connection, or, where that is a proxy that is trusted, what it wrote
 * last into X-Forwarded-For; what stands before it anyone can have written. Undefined if it is not known.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustsPeer: TrustsPeer,
): string | undefined {
  if (!trustsPeer(socket.remoteAddress)) return socket.remoteAddress;
  const forwarded = headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',');
  const last = hops.at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? undefined : last;
}

/** The same as it is put on record: an IPv4 address in its own form. */
export function recordedAddress(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustsPeer: TrustsPeer,
): string | undefined {
  return clientAddress(request, trustsPeer)?.replace(/^::ffff:(?=\d+\.)/i, '');
}
