import type { NetworkConfig } from './network-config.ts';

/** A ledger node's address, split into what its connections need. */
export type NodeAddress = {
  readonly origin: string;
  /** Path and query, which may contain a key of the node's provider. */
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

/**
 * Returns the name of a node in metrics, logs, `/readyz` and `keyslot nodes`: its setting, or `node-` and its position in the
 * list, from 1.
 */
export function nodeName({ name }: NetworkConfig['upstreams'][number], index: number): string {
  return name ?? `node-${index + 1}`;
}

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
