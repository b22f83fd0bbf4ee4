import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { compileCidrs } from '../base/cidr.ts';

/** The part of a request that says where it comes from. */
export type RequestSource = {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** True if a connection's peer is one of the operator's proxies, whose X-Forwarded-For is trusted. */
export type TrustsPeer = (address: string | undefined) => boolean;

export type ProxySettings = {
  /** True if there are proxies at all. */
  readonly isBehindProxy: boolean;
  /** Networks of proxies besides loopback, in CIDR notation. */
  readonly trustedProxies: readonly string[];
};

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Compiles the settings into a test for peers: behind a proxy, loopback and the configured networks are trusted. */
export function createTrustsPeer({ isBehindProxy, trustedProxies }: ProxySettings): TrustsPeer {
  return isBehindProxy ? compileCidrs([...LOOPBACK, ...trustedProxies]) : () => false;
}

/**
 * Returns the address that a request comes from: the connection's peer or, if that is a trusted proxy, the last entry of its
 * X-Forwarded-For; anyone can have written the entries before it. Undefined if it is not known.
 */
export function clientAddress(
  { headers, socket }: RequestSource,
  trustsPeer: TrustsPeer,
): string | undefined {
  if (!trustsPeer(socket.remoteAddress)) return socket.remoteAddress;
  const forwarded = headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',');
  const last = hops.at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? undefined : last;
}

/** Returns the client address as it is recorded: an IPv4 address in IPv4 form. */
export function recordedAddress(request: RequestSource, trustsPeer: TrustsPeer): string | undefined {
  return clientAddress(request, trustsPeer)?.replace(/^::ffff:(?=\d+\.)/i, '');
}
