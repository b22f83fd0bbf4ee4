import { isIPv6 } from 'node:net';
import type { TrustsPeer } from '../../gate/client-address.ts';
import type { HttpRequest } from './respond.ts';

/** The address of this server as a client knows it, without a slash at its end. */
export type BaseUrlOf = (request: AskedRequest) => string;

type AskedRequest = Pick<HttpRequest, 'headers'> & {
  readonly socket: Pick<HttpRequest['socket'], 'localAddress' | 'localPort' | 'remoteAddress'>;
};

export type BaseUrlOptions = {
  /** Which peers are proxies of the operator's, which end TLS and write X-Forwarded-*. */
  readonly trustsPeer: TrustsPeer;
  /** Under which address clients reach this server, whatever they have asked; without a slash at its end. */
  readonly publicUrl?: string | undefined;
};

/**
 * Tells the address that a client has asked: the public one where it is set, else that of Host (RFC 9110, section 7.2), from a
 * trusted proxy that of X-Forwarded-Host and X-Forwarded-Proto where it writes them. A name that cannot be one of a host is repeated to nobody:
 * in its place is the end of the connection. Anyone can ask under any name: what is told is for the one who asked, and not to be
 * kept for others.
 */
export function createBaseUrlOf({ trustsPeer, publicUrl }: BaseUrlOptions): BaseUrlOf {
  if (publicUrl !== undefined) return () => publicUrl;
  return ({ headers, socket }) => {
    const isProxied = trustsPeer(socket.remoteAddress);
    const forwarded = isProxied ? lastOf(headers['x-forwarded-host']) : undefined;
    const host = forwarded ?? headers.host ?? '';
    return `${schemeOf(headers, socket, isProxied)}://${isHost(host) ? host : endOf(socket)}`;
  };
}

function endOf({ localAddress = '127.0.0.1', localPort }: AskedRequest['socket']): string {
  const address = localAddress.replace(/^::ffff:(?=[\d.]+$)/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function schemeOf(
  headers: HttpRequest['headers'],
  socket: AskedRequest['socket'],
  isProxied: boolean,
): 'http' | 'https' {
  if (!isProxied) return 'encrypted' in socket ? 'https' : 'http';
  return lastOf(headers['x-forwarded-proto'])?.toLowerCase() === 'http' ? 'http' : 'https';
}

/** What the nearest proxy wrote; what stands before it anyone can have written. */
function lastOf(field: string | readonly string[] | undefined): string | undefined {
  return field === undefined ? undefined : (String(field).split(',').at(-1) ?? '').trim();
}

const MAX_HOST_CHARACTERS = 260;
/** A name or an IPv4 address, or an IPv6 address in brackets, and a port (RFC 3986, section 3.2.2; `_` is in names of containers). */
const HOST =
  /^(?:\[(?<ipv6>[0-9a-f:.]+)\]|[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?)(?::(?<port>\d{1,5}))?$/i;
const LAST_PORT = 65_535;

function isHost(text: string): boolean {
  if (text.length > MAX_HOST_CHARACTERS) return false;
  const { groups } = HOST.exec(text) ?? {};
  if (groups === undefined) return false;
  const { ipv6, port } = groups;
  return (ipv6 === undefined || isIPv6(ipv6)) && (port === undefined || Number(port) <= LAST_PORT);
}
