import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AccountPlane, openAccountPlane } from '../../../src/account/setup/account-plane.ts';
import { type Balance, readBalance } from '../../../src/account/billing/books/balance.ts';
import { credit } from '../../../src/account/billing/books/credit.ts';
import { createToken } from '../../../src/account/identity/tokens/access-tokens.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { loadConfig } from '../../../src/core/config/load-config.ts';
import type { KeyChunk, KeyPool } from '../../../src/core/keys/pool.ts';
import { type Keys, startKeys } from '../../../src/serve/start-keys.ts';
import { createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';
import { startWallets } from '../../../src/serve/start-wallets.ts';
import type { PrioritizedStore, StoreOptions } from '../../../src/store/open-store.ts';
import { newCustomer } from '../../account/new-customer.ts';
import { SILENT, useStore } from '../../store/backends.ts';
import { prepareStore } from '../../support/prepared-store.ts';
import { createPayLater } from '../pay-later.ts';

const PAID = 1_000_000_000n;

/** The wallet service on a Unix socket, whose buffers are small: a reader that stops is felt after some hundred wallets. */
export type UnixService = {
  readonly store: PrioritizedStore;
  readonly account: AccountPlane;
  readonly keys: Keys;
  /** The customer. */
  readonly accountId: string;
  /** The number of client wallets that the pool has handed over. */
  readonly handedOver: () => number;
  /** Called with each chunk that the pool hands over. */
  readonly watch: (onChunk: () => void | Promise<void>) => void;
  /** Sends a request and resolves with the head of its answer; of the body only what is asked for is read. */
  readonly post: (
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) => Promise<IncomingMessage>;
  readonly balance: () => Promise<Balance>;
};

/** Starts the service on a store of the test's own, with a customer who has money. It is stopped when the test ends. */
export async function startUnixService(place: StoreOptions): Promise<UnixService> {
  const { dataDir, databaseUrl } = place;
  if (databaseUrl === undefined) prepareStore(dataDir);
  const store = await useStore(place);
  const config = loadConfig({ env: { KEYSLOT_DATA_DIR: dataDir, KEYSLOT_KEY_THREADS: '1' } });
  const metrics = { watchChild: () => undefined, countRefusal: () => undefined };
  const account = await openAccountPlane({
    store,
    clock: systemClock,
    log: SILENT,
    dataDir,
    file: undefined,
  });
  onTestFinished(() => account.close());
  const keys = await startKeys({ config, ownsDirectory: Promise.resolve(), metrics, log: SILENT });
  onTestFinished(() => keys.close());
  const watched = watchPool(keys.pool);
  const own = { ...keys, pool: watched.pool };
  const planOf = () => ({ requestsPerSecond: 1_000_000 });
  const payLater = createPayLater(store, systemClock);
  const deps = {
    config,
    store,
    account,
    keys: own,
    metrics,
    planOf,
    rateLimits: { of: () => createMemoryRateLimit() },
    payLater,
    clock: systemClock,
    log: SILENT,
  };
  const { handler: serve, close } = await startWallets(deps);
  onTestFinished(close);
  const socketPath = join(dataDir, 'wallets.sock');
  const server = createServer((asked, answer) => void serve(asked, answer)).listen(socketPath);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const accountId = await newCustomer(store);
  await store.transaction((tx) =>
    credit(tx, { accountId, amount: PAID, note: undefined, nowMs: Date.now() }),
  );
  const wanted = { accountId, name: 'all', scopes: ['wallets:create'], expiresAtMs: undefined } as const;
  const { text } = await createToken({ store, tokens: account.tokens }, wanted, Date.now());
  return {
    store,
    account,
    keys,
    accountId,
    handedOver: watched.handedOver,
    watch: watched.watch,
    post: (path, body, headers = {}, signal = undefined) =>
      post(socketPath, path, body, { token: text, headers, signal }),
    balance: () => readBalance(store, accountId, Date.now()),
  };
}

function watchPool(pool: KeyPool) {
  let count = 0;
  let onChunk: () => void | Promise<void> = () => undefined;
  async function* watched(chunks: AsyncIterable<KeyChunk>): AsyncGenerator<KeyChunk> {
    for await (const chunk of chunks) {
      count += chunk.count;
      await onChunk();
      yield chunk;
    }
  }
  const watch = (next: typeof onChunk): void => {
    onChunk = next;
  };
  const own: KeyPool = {
    ...pool,
    batch: (job, signal) => watched(pool.batch(job, signal)),
    hd: (job, signal) => watched(pool.hd(job, signal)),
  };
  return { pool: own, handedOver: () => count, watch };
}

type Sent = {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
};

async function post(
  socketPath: string,
  path: string,
  body: object,
  { token, headers, signal }: Sent,
): Promise<IncomingMessage> {
  const asked = request({
    socketPath,
    path: `/v1/wallets${path}`,
    method: 'POST',
    agent: false,
    ...(signal === undefined ? {} : { signal }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  });
  asked.on('error', () => undefined);
  asked.end(JSON.stringify(body));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  onTestFinished(() => void answer.destroy());
  return answer;
}
