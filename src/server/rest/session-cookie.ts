import type { IncomingHttpHeaders } from 'node:http';

/** Over https: bound to this host, and to https. */
const HOST_NAME = '__Host-keyslot_session';
/** Over https below a path, which the cookie is bound to: browsers accept a `__Host-` name for the path / only. */
const SECURE_NAME = '__Secure-keyslot_session';
/** Over plain HTTP, where browsers refuse the other names. */
const PLAIN_NAME = 'keyslot_session';

/** Returns the session token that a request carries; undefined without one. @param baseUrl of this server, as the client knows it. */
export function readSessionCookie(headers: IncomingHttpHeaders, baseUrl: string): string | undefined {
  const name = sessionCookieName(baseUrl);
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/**
 * Returns the header field Set-Cookie (RFC 6265bis) that gives a browser the token of a session: no script reads it, and no request that
 * another site makes carries it, nor one to another path of the host.
 */
export function sessionCookie(token: string, expiresAt: Date, baseUrl: string): string {
  return `${sessionCookieName(baseUrl)}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes(baseUrl)}`;
}

/** Returns the header field that removes it. */
export function endedSessionCookie(baseUrl: string): string {
  return `${sessionCookieName(baseUrl)}=; Max-Age=0; ${attributes(baseUrl)}`;
}

/** The name of the cookie. */
export function sessionCookieName(baseUrl: string): string {
  const { protocol, pathname } = new URL(baseUrl);
  if (protocol !== 'https:') return PLAIN_NAME;
  return pathname === '/' ? HOST_NAME : SECURE_NAME;
}

function attributes(baseUrl: string): string {
  const { protocol, pathname } = new URL(baseUrl);
  return `Path=${pathname}; HttpOnly; SameSite=Strict${protocol === 'https:' ? '; Secure' : ''}`;
}
