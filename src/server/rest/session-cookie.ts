import type { IncomingHttpHeaders } from 'node:http';

/** Over https: bound to this host, and to https. */
const SECURE_NAME = '__Host-keyslot_session';
/** Over plain HTTP, where browsers refuse the other. */
const PLAIN_NAME = 'keyslot_session';

/** Returns the session token that a request carries; undefined without one. @param isSecure whether the client speaks https. */
export function readSessionCookie(headers: IncomingHttpHeaders, isSecure: boolean): string | undefined {
  const name = sessionCookieName(isSecure);
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/**
 * Returns the header field Set-Cookie (RFC 6265bis) that gives a browser the token of a session: no script reads it, and no request that
 * another site makes carries it.
 */
export function sessionCookie(token: string, expiresAt: Date, isSecure: boolean): string {
  return `${sessionCookieName(isSecure)}=${token}; Expires=${expiresAt.toUTCString()}; ${attributes(isSecure)}`;
}

/** Returns the header field that takes it away. */
export function endedSessionCookie(isSecure: boolean): string {
  return `${sessionCookieName(isSecure)}=; Max-Age=0; ${attributes(isSecure)}`;
}

/** The name of the cookie. */
export const sessionCookieName = (isSecure: boolean): string => (isSecure ? SECURE_NAME : PLAIN_NAME);

function attributes(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
