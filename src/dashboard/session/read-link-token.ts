/** Returns the token of a link's fragment, `#token=…`; undefined if it has none. */
export function readLinkToken(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return token === null || token === '' ? undefined : token;
}
