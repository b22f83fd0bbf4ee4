/** Where the wallet API begins. */
export const WALLET_API = '/v1/';

/** The path of a request target, in origin form or, as every server has to take it, in absolute form (RFC 9112, section 3.2.2). */
export function pathOf(target: string): string {
  const query = target.indexOf('?');
  const address = query < 0 ? target : target.slice(0, query);
  return address.startsWith('/') ? address : address.replace(/^https?:\/\/[^/]*/i, '');
}
