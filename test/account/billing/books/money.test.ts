import { randomUUID } from 'node:crypto';
import { eq, sql } from '../../../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { ensureTestCredit } from '../../../../src/account/billing/books/credit.ts';
import { createMoney, type Work } from '../../../../src/account/billing/books/money.ts';
import { utcMonth } from '../../../../src/core/utc-month.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { ledgerTransactions, operationCounts } from '../../../../src/store/money-tables.ts';
import type { StoreTransaction } from '../../../../src/store/transaction.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer, NOW_MS } from '../../new-customer.ts';
import { pay } from './books.ts';

const money = createMoney({ ownerId: randomUUID() });

describeStores('money', (backend) => {
  const store = backend.shared();
  const inTransaction = <T>(run: (tx: StoreTransaction) => Promise<T>): Promise<T> =>
    store().transaction(run);
  const wallets = (accountId: string, units: number, nowMs = NOW_MS): Work => ({
    accountId,
    operation: 'wallet_creation',
    units,
    nowMs,
  });
  const standing = (accountId: string) => readBalance(store(), accountId, NOW_MS);

  async function customerWith(amount: bigint): Promise<string> {
    const accountId = await newCustomer(store());
    if (amount > 0n) await pay(store(), accountId, amount);
    return accountId;
  }

  test('is set aside before the work, charged for what was delivered, and the rest comes back', async () => {
    const accountId = await customerWith(10_000n);
    const reservation = await inTransaction((tx) => money.reserve(tx, wallets(accountId, 8)));
    expect(reservation).toMatchObject({ accountId, operation: 'wallet_creation', units: 8, amount: 8_000n });
    expect(await standing(accountId)).toMatchObject({ available: 2_000n, reserved: 8_000n, charged: 0n });

    const receipt = await inTransaction((tx) => money.settle(tx, reservation, 5, NOW_MS));
    const prices = { standard: 1_000, volume: 400, volumeThreshold: 1_000_000 };
    const charge = { operation: 'wallet_creation', units: 5, month: utcMonth(NOW_MS), amount: 5_000, prices };
    expect(receipt).toEqual({ charged: 5_000n, refunded: 3_000n, charge });
    expect(await standing(accountId)).toEqual({
      billing: 'prepaid',
      balance: 5_000n,
      creditLimit: 0n,
      available: 5_000n,
      reserved: 0n,
      mode: 'by_volume',
      grantedCreditLimit: 0n,
      monthCharged: 5_000n,
      charged: 5_000n,
      operations: { wallet_creation: 5n },
    });
  });

  test('comes back whole when the work is not done, and what is left of it when it was begun', async () => {
    const accountId = await customerWith(10_000n);
    const untouched = await inTransaction((tx) => money.reserve(tx, wallets(accountId, 8)));
    expect(await inTransaction((tx) => money.release(tx, untouched, NOW_MS))).toEqual({
      charged: 0n,
      refunded: 8_000n,
    });
    expect(await standing(accountId)).toMatchObject({ available: 10_000n, reserved: 0n, charged: 0n });
    const begun = await inTransaction((tx) => money.reserve(tx, wallets(accountId, 8)));
    await inTransaction((tx) => money.charge(tx, begun, 3, NOW_MS));
    await inTransaction((tx) => money.release(tx, begun, NOW_MS));
    expect(await standing(accountId)).toMatchObject({ available: 7_000n, reserved: 0n, charged: 3_000n });
  });

  test('can be charged in parts, and only for as much as was reserved', async () => {
    const accountId = await customerWith(10_000n);
    const reservation = await inTransaction((tx) => money.reserve(tx, wallets(accountId, 8)));
    for (const part of [3, 2]) await inTransaction((tx) => money.charge(tx, reservation, part, NOW_MS));
    expect(await standing(accountId)).toMatchObject({ available: 2_000n, reserved: 3_000n, charged: 5_000n });
    const tooMuch = inTransaction((tx) => money.charge(tx, reservation, 4, NOW_MS));
    await expect(tooMuch).rejects.toMatchObject({ code: 'internalError' });
    await inTransaction((tx) => money.settle(tx, reservation, 3, NOW_MS));
    expect(await standing(accountId)).toMatchObject({ available: 2_000n, reserved: 0n, charged: 8_000n });
  });

  test('is settled once: afterwards settling is refused and releasing does nothing', async () => {
    const accountId = await customerWith(10_000n);
    const reservation = await inTransaction((tx) => money.reserve(tx, wallets(accountId, 2)));
    await inTransaction((tx) => money.settle(tx, reservation, 2, NOW_MS));
    const before = await standing(accountId);
    const again = inTransaction((tx) => money.settle(tx, reservation, 2, NOW_MS));
    await expect(again).rejects.toMatchObject({ code: 'reservationClosed' });
    expect(await inTransaction((tx) => money.release(tx, reservation, NOW_MS))).toEqual({
      charged: 0n,
      refunded: 0n,
    });
    expect(await standing(accountId)).toEqual(before);
  });

  test('that does not suffice is named with what is required and what is available, and nothing moves', async () => {
    const accountId = await customerWith(7_999n);
    for (const refused of ['reserve', 'chargeNow'] as const) {
      const attempt = inTransaction<unknown>((tx) => money[refused](tx, wallets(accountId, 8)));
      await expect(attempt).rejects.toMatchObject({
        code: 'balanceInsufficient',
        context: { required: 8_000n, available: 7_999n },
      });
    }
    expect(await standing(accountId)).toMatchObject({ available: 7_999n, charged: 0n, operations: {} });
    await pay(store(), accountId, 1n);
    await inTransaction((tx) => money.chargeNow(tx, wallets(accountId, 8)));
    expect(await standing(accountId)).toMatchObject({ available: 0n, charged: 8_000n });
  });

  test('of an invoiced account goes down to its credit limit and no further', async () => {
    const accountId = await customerWith(0n);
    await inTransaction((tx) =>
      setTerms(tx, { accountId, mode: 'invoiced', creditLimit: 5_000n, nowMs: NOW_MS }),
    );
    await inTransaction((tx) => money.chargeNow(tx, wallets(accountId, 5)));
    expect(await standing(accountId)).toMatchObject({
      billing: 'invoiced',
      balance: -5_000n,
      creditLimit: 5_000n,
      available: 0n,
    });
    const beyond = inTransaction((tx) => money.reserve(tx, wallets(accountId, 1)));
    await expect(beyond).rejects.toMatchObject({
      code: 'creditLimitReached',
      context: { required: 1_000n, available: 0n },
    });
    const lower = inTransaction((tx) =>
      setTerms(tx, { accountId, mode: 'invoiced', creditLimit: 4_999n, nowMs: NOW_MS }),
    );
    await expect(lower).rejects.toMatchObject({ message: expect.stringContaining('owes 0.005 USD') });
  });

  test('buys free operations with nothing in it', async () => {
    const accountId = await customerWith(0n);
    const work = { ...wallets(accountId, 1), operation: 'hd_master_creation' as const };
    const reservation = await inTransaction((tx) => money.reserve(tx, work));
    await inTransaction((tx) => money.settle(tx, reservation, 1, NOW_MS));
    expect(await standing(accountId)).toMatchObject({ charged: 0n, operations: { hd_master_creation: 1n } });
  });

  test('has the volume price above a million operations of one row, account and UTC month', async () => {
    const accountId = await customerWith(100_000n);
    const lastOfMonth = Date.UTC(2025, 9, 31, 23, 59, 59, 999);
    const counted = { accountId, operation: 'wallet_creation', units: 999_999n };
    await store()
      .db.insert(operationCounts)
      .values({ ...counted, month: '2025-10' });
    const costs = async (nowMs: number): Promise<bigint> =>
      (await inTransaction((tx) => money.chargeNow(tx, wallets(accountId, 3, nowMs)))).charged;
    expect(await costs(lastOfMonth)).toBe(1_800n);
    expect(await costs(lastOfMonth)).toBe(1_200n);
    expect(await costs(lastOfMonth + 1)).toBe(3_000n);
    const other = { ...wallets(accountId, 1, lastOfMonth), operation: 'managed_signing' as const };
    expect((await inTransaction((tx) => money.chargeNow(tx, other))).charged).toBe(100n);
  });

  test('suffices for exactly as many as ask at once, and nobody waits in a circle', async () => {
    const accountId = await customerWith(7_000n);
    const attempts = Array.from({ length: 20 }, (_, n) =>
      inTransaction(async (tx) => {
        const work = wallets(accountId, 1);
        if (n % 2 === 0) return void (await money.chargeNow(tx, work));
        await money.settle(tx, await money.reserve(tx, work), 1, NOW_MS);
      }),
    );
    const outcomes = await Promise.allSettled(attempts);
    const codes = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
    expect(codes.filter((code) => code === false)).toHaveLength(7);
    expect(new Set(codes)).toEqual(new Set([false, 'balanceInsufficient']));
    expect(await standing(accountId)).toMatchObject({ available: 0n, reserved: 0n, charged: 7_000n });
  });

  test('comes as test credit once, however many ask', async () => {
    const accountId = await customerWith(0n);
    await Promise.all(Array.from({ length: 5 }, () => ensureTestCredit(store(), accountId, NOW_MS)));
    await ensureTestCredit(store(), accountId, NOW_MS);
    expect((await standing(accountId)).available).toBe(1_000_000_000n);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('is not counted for %s units', async (units) => {
    const accountId = await customerWith(10_000n);
    const attempt = inTransaction((tx) => money.chargeNow(tx, wallets(accountId, units)));
    await expect(attempt).rejects.toMatchObject({ code: 'internalError' });
  });

  test('is written in books that are only ever added to, and that must sum to zero', async () => {
    const accountId = await customerWith(10_000n);
    const refusals = [
      sql`update ledger_entries set amount = amount + 1 where account_id = ${accountId}`,
      sql`delete from ledger_entries where account_id = ${accountId}`,
      sql`update ledger_transactions set note = 'x' where account_id = ${accountId}`,
      sql`truncate ledger_entries`,
    ];
    for (const change of refusals) {
      const cause = { message: expect.stringContaining('only ever added') };
      await expect(store().db.execute(change)).rejects.toMatchObject({ cause });
    }
    const [first] = await store()
      .db.select()
      .from(ledgerTransactions)
      .where(eq(ledgerTransactions.accountId, accountId));
    const unbalanced = sql`insert into ledger_entries values (${String(first?.id)}, ${accountId}, 'revenue', 5, 5)`;
    const cause = { message: expect.stringContaining('do not sum to zero') };
    await expect(store().db.execute(unbalanced)).rejects.toMatchObject({ cause });
  });
});
