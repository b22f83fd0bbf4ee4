/** A ledger node's address, split into what its connections need. */
export type NodeAddress = {
  readonly origin: string;
  /** Path and query; they may hold a key of the node's provider. */
  readonly path: string;
  /** HTTP Basic credentials, if the address has a user or a password. */
  readonly authorization: string | undefined;
};

/** Parses an http or https address; undefined if it is not one. */
export function readNodeAddress(text: string): NodeAddress | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { origin, pathname, search, username, password } = url;
  const path = `${pathname}${search}`;
  if (username === '' && password === '') return { origin, path, authorization: undefined };
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { origin, path, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  } catch {
    return undefined;
  }
}
