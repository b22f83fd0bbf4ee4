const LAST_PORT = 65_535;

/** How a ledger node is reached over WebSocket. */
export type PubsubAddress = {
  /** Its JSON-RPC address. */
  readonly url: string;
  /** Its WebSocket address, where the operator has given one. */
  readonly wsUrl?: string | undefined;
};

/**
 * Where the WebSocket of a node is looked for, in order: at the address that was given, or at the JSON-RPC address and, where that
 * names a port, at the next port, which is where a validator has it.
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

/** Whether a text is an address that a WebSocket can be opened at (RFC 6455, section 3). */
export function isPubsubAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^wss?:$/.test(url.protocol) && url.hash === '';
}
