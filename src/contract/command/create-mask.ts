/** From so many characters on, a part of an address may be a key: providers put theirs into the path. */
const KEY_CHARACTERS = 20;
const SHOWN = '…';

export type Mask = {
  /** The address as it may be shown: without query and credentials, and without what may be a key in its path. */
  readonly shownUrl: string;
  /** A text of the server's, which may quote what it was sent, without what is secret of the address and without control characters. */
  readonly hide: (text: string) => string;
};

/** What a report may show of the address of a server; of what is secret beside it, such as a token, nothing. */
export function createMask(address: URL, beside: readonly string[] = []): Mask {
  const segments = address.pathname.split('/');
  const isKey = (text: string): boolean => text.length >= KEY_CHARACTERS;
  const path = segments.map((segment) => (isKey(segment) ? SHOWN : segment)).join('/');
  const values = [...address.searchParams].flatMap(([name, value]) =>
    name === 'apikey' || isKey(value) || /key|token|secret/i.test(name) ? [value] : [],
  );
  const credentials = [address.username, address.password, ...segments.filter(isKey)];
  const plain = [...values, ...credentials, ...beside, address.search].filter((text) => text !== '');
  const secrets = [...new Set(plain.flatMap((text) => [text, decode(text), encodeURIComponent(text)]))].sort(
    (a, b) => b.length - a.length,
  );
  return {
    shownUrl: `${address.origin}${path}`,
    hide: (text) =>
      secrets.reduce((shown, secret) => shown.replaceAll(secret, SHOWN), text).replace(/\p{Cc}/gu, '\uFFFD'),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
