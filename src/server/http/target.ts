/** The path prefix of the wallet API. */
export const WALLET_API = '/v1/';

/** Returns the path of a request target, in origin form or, as every server must accept, in absolute form (RFC 9112, section 3.2.2). */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  const address = query < 0 ? target : target.slice(0, query);
  return address.startsWith('/') ? address : address.replace(/^https?:\/\/[^/]*/i, '');
}
