import { createSecretKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createIdempotency } from '../../src/account/idempotency/idempotency.ts';
import type { InstallationKey } from '../../src/account/sealing/installation-key.ts';
import { createMoney } from '../../src/account/billing/books/money.ts';
import { readBalance } from '../../src/account/billing/books/balance.ts';
import { type PriceBook, SPEC_PRICES } from '../../src/account/billing/books/prices.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type ServiceError, serviceError } from '../../src/core/service-error.ts';
import type { KeyPool } from '../../src/core/keys/pool.ts';
import { createSealedWork } from '../../src/signer/sealed-work.ts';
import { type Signer, startSigner } from '../../src/signer/signer.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { and, eq } from '../../src/store/drizzle.ts';
import type { PrioritizedStore, Store } from '../../src/store/open-store.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { answerRequest } from '../../src/wallets/answer-request.ts';
import { CLIENT_LEFT } from '../../src/wallets/client-left.ts';
import { createReconciliation } from '../../src/wallets/managed/destroyed-rows.ts';
import { createRetryUntilSettled } from '../../src/wallets/retry-until-settled.ts';
import { expectBalanced, pay } from '../account/billing/books/books.ts';
import { expectRecordedCharges } from '../account/billing/books/recorded-charges.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { describeStores, SILENT, useDataDir } from '../store/backends.ts';
import { type TestAccount, useWalletService } from '../wallets/use-service.ts';

/** Children of the first group of a tree, and of the first two. */
const [FIRST_GROUP, TWO_GROUPS] = [32, 32 + 512];
/** Children of trees of one group, two and three. */
const [SMALL, CHILDREN, MANY] = [4, 40, 600];
const FORMS = ['json', 'jsonl', 'csv'] as const;
type Form = (typeof FORMS)[number];
/** The forms that are held against every cut: one object, and one of the two streams. */
const STORE_FORMS = ['json', 'jsonl'] as const;

const CHILD_PRICE = 500n;
const MASTER_PRICE = 700n;
/** A master is free by the price list; here it has a price, so that it is seen to be charged. */
const PRICES: PriceBook = {
  ...SPEC_PRICES,
  prices: { ...SPEC_PRICES.prices, hd_master_creation: { standard: MASTER_PRICE, volume: MASTER_PRICE } },
};

/** Holds the wallets of an account to its charges. @returns its masters and their children. */
async function expectPaid(
  store: Store,
  accountId: string,
  {
    masterPrice = MASTER_PRICE,
    nowMs = NOW_MS,
  }: { readonly masterPrice?: bigint; readonly nowMs?: number } = {},
) {
  const rows = await store.db.select().from(wallets).where(eq(wallets.accountId, accountId));
  const masters = rows.filter(({ kind }) => kind === 'master');
  const children = rows.filter(({ kind }) => kind === 'child');
  expect(masters.filter(({ id }) => children.every(({ masterId }) => masterId !== id))).toEqual([]);
  const { charged, reserved, operations } = await readBalance(store, accountId, nowMs);
  expect([reserved, operations.hd_master_creation ?? 0n, operations.hd_child_derivation ?? 0n]).toEqual([
    0n,
    BigInt(masters.length),
    BigInt(children.length),
  ]);
  expect(charged).toBe(BigInt(masters.length) * masterPrice + BigInt(children.length) * CHILD_PRICE);
  const isCreated = and(eq(auditRecords.accountId, accountId), eq(auditRecords.outcome, 'ok'));
  const created = await store.db.select().from(auditRecords).where(isCreated);
  expect(created.map(({ walletId }) => walletId).sort()).toEqual(rows.map(({ id }) => id).sort());
  return { masters: masters.length, children: children.length };
}

/** Holds the books of a store, which are those of all accounts together. */
async function expectBooks(store: Store): Promise<void> {
  await expectBalanced(store);
  await expectRecordedCharges(store);
}

describe('over HTTP', () => {
  /** Called before the signer derives children. */
  let whenDeriving = async (_signal: AbortSignal | undefined): Promise<void> => undefined;
  const service = useWalletService({
    withSigner: (signer) => ({
      ...signer,
      derive: async (request, options) => {
        await whenDeriving(options?.signal);
        return signer.derive(request, options);
      },
    }),
  });

  test.each(
    [0, FIRST_GROUP, TWO_GROUPS].flatMap((children) => FORMS.map((form) => [children, form] as const)),
  )(
    'a client that leaves after %i children of a tree as %s leaves no master without them',
    async (children, form) => {
      const account = await service().newAccount();
      const leave = new AbortController();
      const group = 1 + [0, FIRST_GROUP, TWO_GROUPS].indexOf(children);
      let derivations = 0;
      whenDeriving = async (signal) => {
        if (++derivations < group || signal === undefined) return;
        leave.abort();
        if (!signal.aborted) await once(signal, 'abort');
      };
      await sendTree(account, form, leave.signal)
        .then((answer) => answer.text())
        .catch(() => undefined);
      whenDeriving = async () => undefined;
      expect(derivations).toBe(group);
      await eventually(
        'nothing is reserved any more',
        async () => (await account.balance()).reserved === 0n || undefined,
      );
      const paid = { masterPrice: 0n, nowMs: service().clock.nowMs() };
      await expectBooks(service().store);
      expect(await expectPaid(service().store, account.id, paid)).toEqual({
        masters: children === 0 ? 0 : 1,
        children,
      });
    },
  );

  function sendTree({ token }: TestAccount, format: Form, signal: AbortSignal): Promise<Response> {
    return fetch(`${service().baseUrl}/v1/wallets/hd`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ custody: 'managed', accounts: { count: MANY }, format }),
      signal,
    });
  }
});

/** The failure of one call: it is not made, or its answer is lost. */
type Loss = 'call' | 'answer';

/** The cut of a request: at the n-th write to the store or call of the signer, from 1, or by the client after n chunks. */
type Cut =
  | { readonly of: 'store' | 'signer'; readonly at: number; readonly loses: Loss }
  | { readonly of: 'client'; readonly at: number };

const CUTS: readonly Cut[] = [
  ...[1, 2, 3, 4, 5].flatMap((at) =>
    (['store', 'signer'] as const).flatMap((of) =>
      (['call', 'answer'] as const).map((loses): Cut => ({ of, at, loses })),
    ),
  ),
  ...[1, 2].map((at): Cut => ({ of: 'client', at })),
];

const STORE_GONE = serviceError('storeUnavailable', {
  where: 'the test',
  reason: 'cut',
  fault: 'unreachable',
});
const SIGNER_GONE = serviceError('signerUnavailable');

/** Returns a function that makes calls, of which the one of the cut fails. */
function failing(cut: Cut, of: Cut['of'], error: ServiceError) {
  let calls = 0;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    const isCut = cut.of === of && ++calls === cut.at;
    if (isCut && 'loses' in cut && cut.loses === 'call') throw error;
    const result = await call();
    if (isCut) throw error;
    return result;
  };
}

function cutStore(store: PrioritizedStore, cut: Cut): PrioritizedStore {
  const call = failing(cut, 'store', STORE_GONE);
  const failingStore: PrioritizedStore = {
    ...store,
    transaction: (...request) => call(() => store.transaction(...request)),
    batched: (begin) => call(() => store.batched(begin)),
    ofAccount: () => failingStore,
  };
  return failingStore;
}

function cutSigner(signer: Signer, cut: Cut): Signer {
  const call = failing(cut, 'signer', SIGNER_GONE);
  return {
    ...signer,
    createMaster: (key) => call(() => signer.createMaster(key)),
    derive: (...request) => call(() => signer.derive(...request)),
  };
}

describeStores('a tree that is cut off anywhere', (backend) => {
  const store = backend.shared();
  const dataDir = useDataDir();
  const ownerId = randomUUID();
  let signer: Signer;
  beforeAll(async () => {
    const config = { hsm: { kind: 'soft', soft: {} } } as const;
    ({ signer } = await startSigner({ dataDir: dataDir(), config, log: SILENT }));
  });
  afterAll(() => signer.close());
  const installationKey = { derive: () => createSecretKey(Buffer.alloc(32)) } as unknown as InstallationKey;
  afterEach(() => expectBooks(store()));
  const deps = {
    sealedWork: createSealedWork(),
    reconciliation: createReconciliation(),
    installationKey,
    ownerId,
    money: createMoney({ ownerId, prices: PRICES }),
    clock: { nowMs: () => NOW_MS },
    log: SILENT,
    idempotency: createIdempotency({ ownerId, installationKey }),
    retryUntilSettled: createRetryUntilSettled(SILENT, 1),
    payLater: () => Promise.resolve(false),
    maxHdChildren: CHILDREN,
    keys: {} as KeyPool,
  };

  async function newAccount(credit = 1_000_000n): Promise<string> {
    const accountId = await newCustomer(store());
    await pay(store(), accountId, credit);
    return accountId;
  }

  type Asked = {
    readonly accountId: string;
    readonly form: Form;
    readonly key?: string | undefined;
    readonly cut?: Cut;
    readonly count?: number;
    readonly masterId?: string;
  };

  /** Asks for a tree and reads the answer until it is cut off. @returns the number of wallets that arrived, or the reason why not all. */
  async function ask(asked: Asked): Promise<number | string> {
    const { accountId, form, key, count = CHILDREN, masterId, cut = { of: 'client', at: Infinity } } = asked;
    const leave = new AbortController();
    const custody =
      masterId === undefined ? ({ custody: 'managed' } as const) : { master_wallet_id: masterId };
    const body = { ...custody, accounts: { start: 0, count }, change: { start: 0, count: 1 } };
    const passed = {
      operation: 'createHdWallets' as const,
      request: { id: '', form, body, query: undefined, twoFactorCode: undefined },
      caller: { accountId, tokenId: randomUUID(), requestId: 'req_1' },
      idempotencyKey: key,
      signal: leave.signal,
      watchDelivery: () => () => undefined,
    };
    const tokens = { isRevoked: () => false, use: () => ({ [Symbol.dispose]: () => undefined }) };
    const own = { ...deps, tokens, store: cutStore(store(), cut), signer: cutSigner(signer, cut) };
    try {
      const answer = await answerRequest(own, passed);
      if (answer.kind === 'json') return 1 + answer.body.wallets.length;
      if (answer.kind !== 'stream') return answer.kind;
      let [chunks, lines] = [0, 0];
      for await (const { count: sent } of answer.chunks) {
        lines += sent;
        if (cut.of !== 'client' || ++chunks !== cut.at) continue;
        leave.abort(CLIENT_LEFT);
        break;
      }
      return lines;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
    }
  }

  const settled = (accountId: string) =>
    eventually('nothing is reserved any more', async () => {
      const { reserved } = await readBalance(store(), accountId, NOW_MS);
      return reserved === 0n || undefined;
    });

  test.each(STORE_FORMS)(
    'leaves no master without paid children, as %s, with and without a key',
    async (form) => {
      for (const cut of CUTS)
        for (const key of [undefined, 'k'])
          for (const count of [SMALL, CHILDREN]) {
            const accountId = await newAccount();
            await ask({ accountId, form, key, cut, count });
            await settled(accountId);
            const { children } = await expectPaid(store(), accountId);
            expect([0, FIRST_GROUP, count]).toContain(children);
          }
    },
  );

  test('continues under its key with the same master, and is charged once', async () => {
    for (const cut of CUTS) {
      const accountId = await newAccount();
      const asked = { accountId, form: 'jsonl' as const, key: 'k' };
      await ask({ ...asked, cut });
      await settled(accountId);
      expect([cut, await ask(asked)]).toEqual([cut, CHILDREN + 1]);
      expect(await expectPaid(store(), accountId)).toEqual({
        masters: 1,
        children: CHILDREN,
      });
    }
  });

  test.each([
    ['a small tree', SMALL],
    ['a large tree', CHILDREN],
  ])('is refused whole where the balance does not pay for the master too: %s', async (_, count) => {
    const price = BigInt(count) * CHILD_PRICE;
    for (const form of STORE_FORMS) {
      for (const credit of [price - 1n, price, price + MASTER_PRICE - 1n]) {
        const accountId = await newAccount(credit);
        expect(await ask({ accountId, form, count })).toBe('balanceInsufficient');
        await settled(accountId);
        expect(await expectPaid(store(), accountId)).toMatchObject({
          masters: 0,
        });
      }
      const accountId = await newAccount(price + MASTER_PRICE);
      expect(await ask({ accountId, form, count })).toBe(count + 1);
      await expectPaid(store(), accountId);
      expect(await readBalance(store(), accountId, NOW_MS)).toMatchObject({ available: 0n });
    }
  });

  test('charges children alone, which are derived from a master that is there', async () => {
    for (const cut of CUTS) {
      const accountId = await newAccount();
      expect(await ask({ accountId, form: 'json', count: 1 })).toBe(2);
      const isMaster = and(eq(wallets.accountId, accountId), eq(wallets.kind, 'master'));
      const [master] = await store().db.select().from(wallets).where(isMaster);
      const asked = { accountId, form: 'jsonl' as const, masterId: master?.id ?? '' };
      await ask({ ...asked, cut });
      await settled(accountId);
      await expectPaid(store(), accountId);
      expect(await ask(asked)).toBe(CHILDREN + 1);
      expect(await expectPaid(store(), accountId)).toEqual({
        masters: 1,
        children: CHILDREN,
      });
    }
  });
});
