import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { copyText } from '../../core/copy-text.ts';
import { compileCidrs } from '../../core/cidr.ts';

/** The part of a request that says where it comes from. */
export type RequestSource = {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** True if a connection's peer is one of the operator's proxies, whose X-Forwarded-For and Forwarded are trusted. */
export type TrustsPeer = (address: string | undefined) => boolean;

export type ProxySettings = {
  /** True if there are proxies at all. */
  readonly isBehindProxy: boolean;
  /** Networks of proxies in addition to loopback, in CIDR notation. */
  readonly trustedProxies: readonly string[];
};

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Compiles the settings into a test for peers: behind a proxy, loopback and the configured networks are trusted. */
export function createTrustsPeer({ isBehindProxy, trustedProxies }: ProxySettings): TrustsPeer {
  return isBehindProxy ? compileCidrs([...LOOPBACK, ...trustedProxies]) : () => false;
}

/** Returns the address that a request comes from, an IPv4 address in IPv4 form; undefined if it is not known. */
export type ClientAddress = (request: RequestSource) => string | undefined;

/**
 * Creates the function that finds the client's address: that of the connection's peer or, if the peer is a trusted proxy, the one in
 * X-Forwarded-For or else in Forwarded (RFC 7239). Entries of trusted proxies are skipped from the right; the entries to the left of the
 * one that remains can be forged. An entry is an address, with or without a port, an IPv6 address with or without brackets.
 *
 * @param onUnreadable called with the name of a header whose entry is no address, such as `unknown`, or that is too long: the client then has
 * no address.
 */
export function createClientAddress(
  trustsPeer: TrustsPeer,
  onUnreadable: (header: string) => void = () => undefined,
): ClientAddress {
  return ({ headers, socket }) => {
    const { remoteAddress } = socket;
    if (!trustsPeer(remoteAddress)) return inOwnForm(remoteAddress);
    const [header, hops] = hopsOf(headers);
    const nearest = hops.findLastIndex((hop) => !trustsPeer(hop));
    const client = hops[Math.max(nearest, 0)];
    if (client === undefined && headers[header.toLowerCase()] !== undefined) onUnreadable(header);
    return inOwnForm(client);
  };
}

/**
 * The name of the header that lists the addresses a request came through, and those addresses, the client's first; undefined for an entry
 * that is no address.
 */
function hopsOf(headers: IncomingHttpHeaders): readonly [string, readonly (string | undefined)[]] {
  const listed = headers['x-forwarded-for'];
  if (listed === undefined)
    return ['Forwarded', readForwarded(headers).map((element) => addressIn(element.get('for') ?? ''))];
  const entries = String(listed)
    .split(',')
    .map((entry) => entry.trim());
  return ['X-Forwarded-For', entries.filter((entry) => entry !== '').map(addressIn)];
}

/** Several proxies write less than this. Parsing is quadratic in the length at worst. */
const MAX_FORWARDED_CHARACTERS = 1_024;
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;
const PARAMETER = /(?:^|;)\s*([a-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/gi;

/**
 * The elements of Forwarded (RFC 7239 section 4), that of the proxy next to the client first: `for`, `proto` and `host`, where they are given.
 * None of a header above 1,024 characters.
 */
export function readForwarded({
  forwarded = '',
}: IncomingHttpHeaders): readonly ReadonlyMap<string, string>[] {
  if (forwarded.length > MAX_FORWARDED_CHARACTERS) return [];
  return (forwarded.match(ELEMENT) ?? []).map((element) => {
    const parameters = [...element.trim().matchAll(PARAMETER)];
    return new Map(
      parameters.map(([, name = '', quoted, token = '']) => [
        name.toLowerCase(),
        quoted === undefined ? token.trim() : quoted.replaceAll(/\\(.)/g, '$1'),
      ]),
    );
  });
}

const NODE =
  /^(?:\[(?<bracketed>[0-9a-f:.]+)\](?::[\w.-]*)?|(?<ipv4>\d{1,3}(?:\.\d{1,3}){3})(?::[\w.-]*)?|(?<ipv6>[0-9a-f:.]+))$/i;

function addressIn(entry: string): string | undefined {
  const { bracketed, ipv4, ipv6 } = NODE.exec(entry)?.groups ?? {};
  const address = bracketed ?? ipv4 ?? ipv6 ?? '';
  return isIP(address) === 0 ? undefined : copyText(address);
}

function inOwnForm(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}
