import { and, eq, inArray } from '../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import type { ManagedWallet, Wallet } from '../../generated/wallets/types.ts';
import { serviceError } from '../../src/core/service-error.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { derivationTombstones, wallets } from '../../src/store/wallet-tables.ts';
import { answerRequest } from '../../src/wallets/answer-request.ts';
import { createReconciliation } from '../../src/wallets/managed/destroyed-rows.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

/** The number of times the signer was asked which wallets are destroyed. */
let asked = 0;
const counting = (signer: Signer): Signer => ({
  ...signer,
  findDestroyed: async (origins) => {
    asked += 1;
    return signer.findDestroyed(origins);
  },
});

const service = useWalletService({ withSigner: counting });
const MINUTE_MS = 60_000;
const ACCOUNTS = { start: 0, count: 3 };

function managed(wallet: Wallet | undefined): ManagedWallet {
  if (wallet?.custody !== 'managed') throw new Error('not a managed wallet');
  return wallet;
}

async function destroy({ client, code }: TestAccount, id: string): Promise<void> {
  service().clock.set(service().clock.nowMs() + MINUTE_MS);
  await client.destroyWallet(id, { twoFactorCode: code() });
}

/** A wallet and a child that are destroyed, of which the store knows nothing, as one that is restored from a backup; and two that live. */
async function restored() {
  const account = await service().newAccount();
  const { store } = service();
  const [single, live] = [await makeOne(account), await makeOne(account)];
  const tree = await account.client.createHdWallets({ custody: 'managed', accounts: ACCOUNTS });
  const [master, child] = [managed(tree.master).wallet_id, managed(tree.wallets[1]).wallet_id];
  const gone = [single, child];
  const backup = await store.db.select().from(wallets).where(inArray(wallets.id, gone));
  for (const id of gone) await destroy(account, id);
  await store.db.delete(derivationTombstones).where(eq(derivationTombstones.masterId, master));
  await store.db.insert(wallets).values(backup);
  return { account, master, single, child, gone, live: [live, master] };
}

async function makeOne({ client }: TestAccount): Promise<string> {
  return managed(await client.createWallet({ custody: 'managed' })).wallet_id;
}

const rowsOf = (ids: readonly string[]) =>
  service()
    .store.db.select()
    .from(wallets)
    .where(inArray(wallets.id, [...ids]));

async function codeOf({ send }: TestAccount, method: string, path: string, body?: unknown) {
  const answer = await send(method, path, body);
  const { code } = (await answer.json()) as { code?: string };
  return [answer.status, code];
}

test('a start on a restored store deletes the wallets that were destroyed, and no other one', async () => {
  const { account, master, single, child, gone, live } = await restored();
  expect(await codeOf(account, 'GET', `/v1/wallets/${single}`)).toEqual([200, undefined]);
  await service().startAgain();
  await eventually('the rows are gone', async () => ((await rowsOf(gone)).length === 0 ? true : undefined));
  for (const id of gone) {
    expect(await codeOf(account, 'GET', `/v1/wallets/${id}`)).toEqual([404, 'wallet_not_found']);
  }
  for (const id of live) expect(await codeOf(account, 'GET', `/v1/wallets/${id}`)).toEqual([200, undefined]);
  const again = { master_wallet_id: master, accounts: ACCOUNTS };
  expect(await codeOf(account, 'POST', '/v1/wallets/hd', again)).toEqual([409, 'derivation_destroyed']);
  const { store, deps } = service();
  const isDestroy = and(eq(auditRecords.accountId, account.id), eq(auditRecords.action, 'destroy'));
  const records = await store.db.select().from(auditRecords).where(isDestroy).orderBy(auditRecords.seq);
  expect(
    records
      .slice(2)
      .map(({ walletId }) => walletId)
      .sort(),
  ).toEqual([single, child].sort());
  for (const record of records.slice(2)) {
    expect(record).toMatchObject({ outcome: 'ok', tokenId: null, requestId: `start_${deps.ownerId}` });
  }
});

test('until that is done a destroyed wallet is not shown, by itself or in a tree', async () => {
  const { account, master, single, live } = await restored();
  const { deps } = service();
  const caller = { accountId: account.id, tokenId: crypto.randomUUID(), requestId: 'req_1' };
  const tokens = { isRevoked: () => false, use: deps.tokens.use };
  const still = { ...deps, tokens, reconciliation: createReconciliation() };
  const passed = {
    caller,
    idempotencyKey: undefined,
    signal: new AbortController().signal,
    watchDelivery: () => () => undefined,
  };
  const fetchOne = (id: string) => {
    const request = {
      id,
      form: 'json' as const,
      body: undefined,
      twoFactorCode: undefined,
      query: undefined,
    };
    return answerRequest(still, { ...passed, operation: 'getWallet', request });
  };
  await expect(fetchOne(single)).rejects.toMatchObject({ code: 'walletNotFound' });
  for (const id of live) expect(await fetchOne(id)).toMatchObject({ body: { wallet_id: id } });
  const body = {
    custody: 'managed' as const,
    master_wallet_id: master,
    accounts: ACCOUNTS,
    change: { start: 0, count: 1 },
  };
  const request = { id: '', form: 'json' as const, body, twoFactorCode: undefined, query: undefined };
  const derived = answerRequest(still, { ...passed, operation: 'createHdWallets', request });
  await expect(derived).rejects.toMatchObject({ code: 'derivationDestroyed', context: { x: 1, y: 0 } });
});

test('what fails is tried again, a destruction is completed at the signer, and then the signer is asked no more', async () => {
  const { account, gone, single } = await restored();
  const { deps, signer } = service();
  let failures = 2;
  const completed: string[] = [];
  const failing: Signer = {
    ...signer,
    destroy: async (request) => {
      failures -= 1;
      if (failures >= 0) throw serviceError('signerUnavailable');
      completed.push(request.walletId);
      await signer.destroy(request);
    },
  };
  const reconciliation = createReconciliation(1);
  await reconciliation.start({ ...deps, signer: failing });
  expect([reconciliation.isDone(), await rowsOf(gone)]).toEqual([true, []]);
  expect(completed).toEqual(expect.arrayContaining(gone));
  const before = asked;
  expect(await codeOf(account, 'GET', `/v1/wallets/${single}`)).toEqual([404, 'wallet_not_found']);
  expect(asked).toBe(before);
});

test('it ends where it is when it is closed', async () => {
  const { gone } = await restored();
  const { deps, signer } = service();
  const failed = Promise.withResolvers<void>();
  const findDestroyed: Signer['findDestroyed'] = () => {
    failed.resolve();
    return Promise.reject(serviceError('signerUnavailable'));
  };
  const reconciliation = createReconciliation(MINUTE_MS);
  void reconciliation.start({ ...deps, signer: { ...signer, findDestroyed } });
  await failed.promise;
  await reconciliation.close();
  expect([reconciliation.isDone(), (await rowsOf(gone)).length]).toEqual([false, 2]);
});
