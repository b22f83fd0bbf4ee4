import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll } from 'vitest';
import { createWalletClient, type WalletClient } from '../../generated/wallets/client.ts';
import { openAccountPlane } from '../../src/account/setup/account-plane.ts';
import { credit } from '../../src/account/billing/books/credit.ts';
import { type Balance, readBalance } from '../../src/account/billing/books/balance.ts';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import type { TokenRing } from '../../src/account/identity/tokens/token-ring.ts';
import { CUSTOMER_SCOPES, type Scope } from '../../src/account/identity/tokens/scopes.ts';
import { enrolTwoFactor } from '../../src/account/identity/two-factor/two-factor.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import type { RequestRow } from '../../src/account/requests/request-store.ts';
import { createMetrics } from '../../src/server/access/metrics.ts';
import { startHttpServer } from '../../src/server/http/http-server.ts';
import type { CreateLimitBook } from '../../src/account/plans/wallet-create-limit.ts';
import type { UseLimitBook } from '../../src/account/plans/wallet-use-limit.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { startKeys } from '../../src/serve/start-keys.ts';
import type { WalletDeps } from '../../src/wallets/wallet-deps.ts';
import { createMemoryRateLimit } from '../../src/server/access/rate-limit.ts';
import { walletDepsOf, startWallets } from '../../src/serve/start-wallets.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { openStore, type PrioritizedStore, type Store } from '../../src/store/open-store.ts';
import { eq } from '../../src/store/drizzle.ts';
import { newCustomer } from '../account/new-customer.ts';
import { emptiedWorkerStore, SILENT } from '../store/backends.ts';
import { collectRequests } from '../support/collect-requests.ts';
import { createPayLater } from './pay-later.ts';

/** A running wallet service, in this process, on the store of the process and a signer of its own. */
export type WalletService = {
  readonly baseUrl: string;
  readonly store: PrioritizedStore;
  readonly signer: Signer;
  readonly deps: WalletDeps;
  /** Opens the service once more on the same store and signer, as the next process does. */
  readonly startAgain: () => Promise<void>;
  /** The clock of the service; it stands still until it is set. */
  readonly clock: { nowMs: () => number; set: (nowMs: number) => void };
  readonly newAccount: (options?: AccountOptions) => Promise<TestAccount>;
  readonly limits: CreateLimitBook;
  readonly useLimits: UseLimitBook;
  readonly tokens: TokenRing;
  /** The lines of the metrics that count refusals. */
  readonly refusals: () => Promise<readonly string[]>;
  /** The requests of an account that were answered (`ok`) or that the service failed to answer (`failed`), in their order. */
  readonly answers: (accountId: string) => readonly ('ok' | 'failed')[];
  /** The requests that were logged. */
  readonly logged: readonly RequestRow[];
  /** Stops the server, which cuts requests in flight at once. */
  readonly cut: () => Promise<void>;
  /** Micro-USD. */
  readonly credit: (accountId: string, amount: bigint) => Promise<void>;
};

export type AccountOptions = {
  /** Micro-USD. Default 10 USD. */
  readonly credit?: bigint;
  readonly scopes?: readonly Scope[];
  readonly isEnrolled?: boolean;
};

/** An account of a service, and the client that calls for it. */
export type TestAccount = {
  readonly id: string;
  readonly token: string;
  readonly client: WalletClient;
  readonly balance: () => Promise<Balance>;
  /** The code of the second factor for the clock's now. */
  readonly code: () => string;
  /** The audit log, each record as `action outcome`. */
  readonly log: () => Promise<readonly string[]>;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
};

export type ServiceOptions = {
  /** The requests per second of accounts to use wallets. Without it no test meets a limit. */
  readonly requestsPerSecond?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The address of an empty database. Default: the embedded store of this process, emptied. */
  readonly databaseUrl?: string;
  /** Stands between the service and its signer. */
  readonly withSigner?: (signer: Signer) => Signer;
};

const TEN_USD = 10_000_000n;

/** Starts a service before the tests of a file and stops it after them. */
export function useWalletService({
  env = {},
  withSigner = (same) => same,
  requestsPerSecond = 1_000_000,
  databaseUrl,
}: ServiceOptions = {}) {
  let service: WalletService | undefined;
  const started = new AsyncDisposableStack();
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-wallets-'));
    started.defer(() => rm(dataDir, { recursive: true, force: true }));
    const config = loadConfig({ file: undefined, env: { KEYSLOT_DATA_DIR: dataDir, ...env }, cli: {} });
    let nowMs = Date.now();
    const clock = {
      nowMs: () => nowMs,
      set: (next: number) => {
        nowMs = next;
      },
    };
    const store =
      databaseUrl === undefined
        ? await emptiedWorkerStore()
        : await openStore({ dataDir, databaseUrl }, SILENT);
    if (databaseUrl !== undefined) started.defer(() => store.close());
    const metrics = createMetrics();
    const made = await startKeys({ config, ownsDirectory: Promise.resolve(), metrics, log: SILENT });
    started.defer(() => made.close());
    const account = await openAccountPlane({ store, clock, log: SILENT, dataDir });
    started.defer(() => account.close());
    const keys = { ...made, signer: withSigner(made.signer) };
    const planOf = () => ({ requestsPerSecond });
    const answers: { readonly accountId: string; readonly isFailed: boolean }[] = [];
    const countAnswer = (accountId: string, isFailed: boolean) => void answers.push({ accountId, isFailed });
    const payLater = createPayLater(store, clock);
    const { requests, rows: logged } = collectRequests();
    const answered = {
      planOf,
      payLater,
      countAnswer,
      requests,
      rateLimits: { of: () => createMemoryRateLimit() },
    };
    const parts = { config, store, account, keys, metrics, ...answered, clock, log: SILENT };
    const { handler, close } = await startWallets(parts);
    started.defer(close);
    const server = await startHttpServer(handler, {
      host: '127.0.0.1',
      port: 0,
      portSetting: '',
      requestTimeoutMs: 5_000,
      idleTimeoutMs: 60_000,
    });
    started.defer(() => server.close(1_000));
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const deps = { store, tokens: account.tokens, installationKey: account.installationKey };
    service = {
      baseUrl,
      store,
      signer: keys.signer,
      deps: walletDepsOf(parts),
      clock,
      limits: account.limits,
      useLimits: account.useLimits,
      tokens: account.tokens,
      startAgain: async () => started.defer((await startWallets(parts)).close),
      newAccount: (options) => newAccount({ deps, clock, baseUrl }, options),
      refusals: async () =>
        (await metrics.registry.metrics()).split('\n').filter((line) => line.includes('error="')),
      answers: (accountId) =>
        answers
          .filter((each) => each.accountId === accountId)
          .map(({ isFailed }) => (isFailed ? 'failed' : 'ok')),
      logged,
      cut: () => server.close(0),
      credit: (accountId, amount) => pay(store, { accountId, amount, nowMs }),
    };
  });
  afterAll(() => started.disposeAsync());
  return (): WalletService => {
    if (service === undefined) throw new Error('the service has not started');
    return service;
  };
}

function pay(store: Store, paid: Omit<Parameters<typeof credit>[1], 'note'>): Promise<void> {
  return store.transaction((tx) => credit(tx, { ...paid, note: undefined }));
}

type Served = {
  readonly deps: Parameters<typeof createToken>[0] & Parameters<typeof enrolTwoFactor>[0];
  readonly clock: WalletService['clock'];
  readonly baseUrl: string;
};

async function newAccount(
  { deps, clock, baseUrl }: Served,
  { credit: amount = TEN_USD, scopes = CUSTOMER_SCOPES, isEnrolled = true }: AccountOptions = {},
): Promise<TestAccount> {
  const { store } = deps;
  const id = await newCustomer(store);
  const nowMs = clock.nowMs();
  if (amount > 0n) await pay(store, { accountId: id, amount, nowMs });
  const wanted = { accountId: id, name: 't', scopes, expiresAtMs: undefined };
  const { text: token } = await createToken(deps, wanted, nowMs);
  const enrolled = isEnrolled
    ? await enrolTwoFactor(deps, { accountId: id, account: 'a' }, nowMs)
    : undefined;
  const totp = enrolled && new TOTP({ secret: Secret.fromBase32(enrolled.secret) });
  return {
    id,
    token,
    client: createWalletClient({ url: baseUrl, token }),
    balance: () => readBalance(store, id, clock.nowMs()),
    code: () => totp?.generate({ timestamp: clock.nowMs() }) ?? '000000',
    log: async () => {
      const rows = await store.db
        .select()
        .from(auditRecords)
        .where(eq(auditRecords.accountId, id))
        .orderBy(auditRecords.seq);
      return rows.map(
        ({ action, outcome, units }) => `${action} ${outcome}${units === 1 ? '' : ` ${units}`}`,
      );
    },
    send: (method, path, body, headers = {}) =>
      fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  };
}
