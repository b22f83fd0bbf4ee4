import { isIPv6 } from 'node:net';
import { readForwarded, type TrustsPeer } from '../access/client-address.ts';
import type { HttpRequest } from './respond.ts';

/** Returns the base URL of this server as a client knows it, without a trailing slash. */
export type BaseUrlOf = (request: AskedRequest) => string;

type AskedRequest = Pick<HttpRequest, 'headers'> & {
  readonly socket: Pick<HttpRequest['socket'], 'localAddress' | 'localPort' | 'remoteAddress'>;
};

export type BaseUrlOptions = {
  /** True for the operator's proxies, which terminate TLS and write X-Forwarded-*. */
  readonly trustsPeer: TrustsPeer;
  /** The base URL at which clients reach this server, whatever they requested; without a trailing slash. */
  readonly publicUrl?: string | undefined;
};

/**
 * Creates the function that returns the base URL a client requested: the public URL where it is set, else the one in Host (RFC
 * 9110, section 7.2), or from a trusted proxy the one in X-Forwarded-Host and X-Forwarded-Proto, or in Forwarded (RFC 7239), where it writes them. An
 * invalid host name is never echoed: the connection's local address takes its place. Anyone can send any name: the result is
 * only for the client that made the request, and must not be kept for others.
 */
export function createBaseUrlOf({ trustsPeer, publicUrl }: BaseUrlOptions): BaseUrlOf {
  if (publicUrl !== undefined) return () => publicUrl;
  return ({ headers, socket }) => {
    const isProxied = trustsPeer(socket.remoteAddress);
    const forwarded = isProxied ? forwardedHost(headers) : undefined;
    const host = forwarded ?? headers.host ?? '';
    return `${schemeOf(headers, socket, isProxied)}://${isHost(host) ? host : localAddressOf(socket)}`;
  };
}

function localAddressOf({ localAddress = '127.0.0.1', localPort }: AskedRequest['socket']): string {
  const address = localAddress.replace(/^::ffff:(?=[\d.]+$)/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function schemeOf(
  headers: HttpRequest['headers'],
  socket: AskedRequest['socket'],
  isProxied: boolean,
): 'http' | 'https' {
  if (!isProxied) return 'encrypted' in socket ? 'https' : 'http';
  const listed = headers['x-forwarded-proto'];
  const written =
    listed === undefined
      ? forwardedBy(headers).flatMap((one) => one.get('proto') ?? [])
      : String(listed).split(',');
  // Of several proxies some may speak plain HTTP to each other.
  const isPlain = written.length > 0 && written.every((scheme) => scheme.trim().toLowerCase() === 'http');
  return isPlain ? 'http' : 'https';
}

/** Returns the value that the nearest proxy wrote; anyone can have written the values before it. */
function forwardedHost(headers: HttpRequest['headers']): string | undefined {
  const listed = headers['x-forwarded-host'];
  if (listed === undefined) return forwardedBy(headers).at(-1)?.get('host');
  return String(listed).split(',').at(-1)?.trim();
}

/** The elements of Forwarded. A proxy that writes X-Forwarded-* may pass on a Forwarded header that anyone sent. */
function forwardedBy(headers: HttpRequest['headers']): ReturnType<typeof readForwarded> {
  return Object.keys(headers).some((name) => name.startsWith('x-forwarded-')) ? [] : readForwarded(headers);
}

const MAX_HOST_CHARACTERS = 260;
/** A name or an IPv4 address, or an IPv6 address in brackets, and a port (RFC 3986, section 3.2.2; container names may contain `_`). */
const HOST =
  /^(?:\[(?<ipv6>[0-9a-f:.]+)\]|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?)(?::(?<port>\d{1,5}))?$/i;
const LAST_PORT = 65_535;

function isHost(text: string): boolean {
  if (text.length > MAX_HOST_CHARACTERS) return false;
  const { groups } = HOST.exec(text) ?? {};
  if (groups === undefined || !URL.canParse(`http://${text}`)) return false;
  const { ipv6, port } = groups;
  return (ipv6 === undefined || isIPv6(ipv6)) && (port === undefined || Number(port) <= LAST_PORT);
}
