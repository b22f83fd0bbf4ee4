import { readLinkToken } from './read-link-token.ts';

let taken: string | undefined;

/**
 * Takes the token of the link that opened the page, and removes it from the address bar and the history. It stays in memory until
 * `dropLinkToken`.
 */
export function takeLinkToken(): string | undefined {
  const token = readLinkToken(location.hash);
  if (token !== undefined) {
    taken = token;
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return taken;
}

/** Forgets the token, once it is used. */
export function dropLinkToken(): void {
  taken = undefined;
}
