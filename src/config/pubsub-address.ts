const LAST_PORT = 65_535;

/** The addresses of a ledger node. */
export type PubsubAddress = {
  /** Its JSON-RPC address. */
  readonly url: string;
  /** Its WebSocket address, if the operator has set one. */
  readonly wsUrl?: string | undefined;
};

/**
 * Returns the addresses to try for a node's WebSocket, in order: the configured one; or else the JSON-RPC address and, where
 * that names a port, the next port, which is the validator's default.
 */
export function pubsubAddresses({ url, wsUrl }: PubsubAddress): readonly string[] {
  if (wsUrl !== undefined) return [wsUrl];
  const same = new URL(url.replace(/^http/i, 'ws'));
  if (same.port === '') return [same.href];
  const nextPort = Number(same.port) + 1;
  if (nextPort > LAST_PORT) return [same.href];
  const next = new URL(same);
  next.port = String(nextPort);
  return [same.href, next.href];
}

/** True for an address at which a WebSocket can be opened (RFC 6455, section 3). */
export function isPubsubAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^wss?:$/.test(url.protocol) && url.hash === '';
}
