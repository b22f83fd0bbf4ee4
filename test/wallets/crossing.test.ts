import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { setTerms } from '../../src/account/billing/invoices/set-terms.ts';
import { createMoney } from '../../src/account/billing/books/money.ts';
import { useWalletService } from './use-service.ts';

const service = useWalletService();
const USD = 1_000_000n;

type Spent = {
  readonly units: number;
  readonly creditLimit: bigint;
  /** The rest of the balance, in micro-USD. */
  readonly left?: bigint;
};

/** An account with a wallet that paid for a number of wallets from its balance, which is used up. */
async function spentAccount({ units, creditLimit, left = 0n }: Spent) {
  const { store, clock } = service();
  const account = await service().newAccount({ credit: 1_000n });
  const { id: accountId } = account;
  const made = await account.send('POST', '/v1/wallets', { custody: 'managed' });
  const { wallet_id: walletId } = (await made.json()) as { readonly wallet_id: string };
  const nowMs = clock.nowMs();
  await store.transaction((tx) => setTerms(tx, { accountId, mode: 'by_volume', creditLimit, nowMs }));
  const money = createMoney({ ownerId: randomUUID() });
  const work = { accountId, operation: 'wallet_creation', units: units - 1, nowMs } as const;
  await service().credit(accountId, (await money.quote(store.db, work)).amount + left);
  await store.transaction((tx) => money.chargeNow(tx, work));
  return { ...account, walletId };
}

test('the request that a balance cannot pay is served once the month costs more than 1,000 USD, within the credit limit', async () => {
  const { send, balance, log } = await spentAccount({ units: 1_000_001, creditLimit: USD });
  expect(await balance()).toMatchObject({ billing: 'prepaid', available: 0n });
  const answers = await Promise.all([1, 2, 3].map(() => send('POST', '/v1/wallets', { custody: 'managed' })));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(await balance()).toMatchObject({ billing: 'invoiced', available: USD - 1_200n, balance: -1_200n });
  expect((await log()).filter((line) => line.startsWith('billing'))).toEqual(['billing.invoiced ok']);
  const batch = await send('POST', '/v1/wallets/batch', { custody: 'managed', count: 3_000 });
  expect([batch.status, await batch.json()]).toMatchObject([402, { code: 'credit_limit_reached' }]);
});

test('so is a signature, a tree, and each of many requests at once', async () => {
  const over = { units: 1_000_001, creditLimit: USD };
  const message = { message: 'AQID', encoding: 'base64' };
  const signer = await spentAccount(over);
  const signed = await signer.send('POST', `/v1/wallets/${signer.walletId}/sign`, message);
  expect([signed.status, await signed.json()]).toMatchObject([200, { wallet_id: signer.walletId }]);
  const grower = await spentAccount(over);
  const body = { custody: 'managed', accounts: { count: 2 } };
  expect((await grower.send('POST', '/v1/wallets/hd', body)).status).toBe(200);
  const hasty = await spentAccount({ ...over, left: 800n });
  const many = await Promise.all(
    Array.from({ length: 20 }, () => hasty.send('POST', '/v1/wallets', { custody: 'managed' })),
  );
  expect(many.map(({ status }) => status)).toEqual(many.map(() => 201));
});

test('so is the one that takes the month above 1,000 USD, however many come at once', async () => {
  const { send, balance, log } = await spentAccount({ units: 1_000_000, creditLimit: USD });
  const many = await Promise.all(
    Array.from({ length: 20 }, () => send('POST', '/v1/wallets', { custody: 'managed' })),
  );
  expect(many.map(({ status }) => status)).toEqual(many.map(() => 201));
  expect(await balance()).toMatchObject({ billing: 'invoiced', available: USD - 8_000n, balance: -8_000n });
  expect((await log()).filter((line) => line.startsWith('billing'))).toEqual(['billing.invoiced ok']);
});

test.each(['client', 'managed'])('so is a batch that does, in custody %s', async (custody) => {
  const { send, balance } = await spentAccount({ units: 999_000, creditLimit: 2n * USD, left: 500_000n });
  const answer = await send('POST', '/v1/wallets/batch', { custody, count: 2_000 });
  expect([answer.status, (await answer.text()).trimEnd().split('\n').length]).toEqual([200, 2_000]);
  expect(await balance()).toMatchObject({ billing: 'invoiced', balance: 500_000n - 1_400_000n });
});

test.each([
  ['does not take it above', 999_999, USD],
  ['has no credit limit', 1_000_001, 0n],
  ['has no credit limit, and takes it above', 1_000_000, 0n],
  ['costs more than the credit limit', 1_000_000, 399n],
])('it stays refused where it %s', async (_, units, creditLimit) => {
  const { send, balance, log } = await spentAccount({ units, creditLimit });
  const answer = await send('POST', '/v1/wallets', { custody: 'managed' });
  expect([answer.status, await answer.json()]).toMatchObject([402, { code: 'balance_insufficient' }]);
  expect(await balance()).toMatchObject({ billing: 'prepaid', available: 0n });
  expect((await log()).filter((line) => line.startsWith('billing'))).toEqual([]);
});
