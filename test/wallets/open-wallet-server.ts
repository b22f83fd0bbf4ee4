import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, prepareGateway } from '../lab/gateways/gateway.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { isThorough } from '../support/tier.ts';

/** The account that everything is done for. */
export const ACCOUNT = 'acme';

const SCOPES = ['wallets:create', 'wallets:read', 'wallets:sign', 'wallets:destroy'];
const DEFAULTS = {
  // Nobody listens there: the wallet service needs no ledger node.
  KEYSLOT_UPSTREAM_URL: 'http://127.0.0.1:9',
  KEYSLOT_KEY_THREADS: '1',
};

export type Sending = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly method?: string;
};

/** A `keyslot serve` of a test, with a customer who has money and a token for everything. */
export type WalletServer = Gateway & {
  readonly token: string;
  /** Sends a request of the wallet API; a body that is no text and no bytes goes as JSON. */
  readonly send: (path: string, body?: unknown, how?: Sending) => Promise<Response>;
};

export type WalletServerOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly creditUsd?: string;
  /** Where its data directory is made. Default: the directory for temporary files. */
  readonly parent?: string;
  /** Done to the data directory before the first start. */
  readonly prepare?: (dataDir: string) => void;
};

/**
 * Starts a server with a customer who has money and a token for everything, outside of any test.
 * @returns also `remove`, which stops it and removes its data.
 */
export async function openWalletServer({
  env = {},
  args = [],
  creditUsd = '1000',
  parent = tmpdir(),
  prepare,
}: WalletServerOptions = {}): Promise<WalletServer & { readonly remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(parent, 'keyslot-wallets-'));
  // Its pace matters where it is killed at moments in the midst of its work.
  const server = await prepareGateway({ dataDir, env, args, defaults: DEFAULTS, isOptimized: isThorough });
  const remove = async (): Promise<void> => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    if (env.KEYSLOT_DATABASE_URL === undefined) prepareStore(dataDir);
    prepare?.(dataDir);
    await server.start();
    const { token } = await server.ask<{ token: string }>({
      kind: 'tokens.create',
      account: ACCOUNT,
      scopes: SCOPES,
    });
    await server.ask({ kind: 'money.credit', account: ACCOUNT, amountUsd: creditUsd });
    await server.ask(['wallet-limit', ACCOUNT, '--per-minute', '1000000']);
    await server.ask(['wallet-use-limit', ACCOUNT, '--per-second', '1000000']);
    return {
      ...server,
      token,
      remove,
      send: (path, body, how = {}) => send(server.baseUrl, token, path, body, how),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function send(
  baseUrl: string,
  token: string,
  path: string,
  body: unknown,
  { headers = {}, signal, method = body === undefined ? 'GET' : 'POST' }: Sending,
): Promise<Response> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${baseUrl}/v1/wallets${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type, ...headers },
    ...(body === undefined ? {} : { body: isSentAsItIs(body) ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function isSentAsItIs(body: unknown): body is string | Buffer<ArrayBuffer> {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
