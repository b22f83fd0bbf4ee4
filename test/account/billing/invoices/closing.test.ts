import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  monthsToClose,
  createBillingWork,
  termsToReview,
} from '../../../../src/account/billing/invoices/run-billing.ts';
import { listInvoices, readInvoice } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { writeTerms } from '../../../../src/account/billing/invoices/terms.ts';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { createMoney } from '../../../../src/account/billing/books/money.ts';
import { describeStores } from '../../../store/backends.ts';
import { atTimeOfStore } from '../../../store/at-time-of-store.ts';
import { provedBut, signHeads, TEXTS, verifyInvoice } from './billed-account.ts';
import { CLOSING, HOUR, inOctober, NOVEMBER, OCTOBER, SEPTEMBER, USD } from './october.ts';

describeStores('a month that is over', (backend) => {
  const store = backend.emptied();

  const { customer, invoiced, charged, deposit, close } = inOctober(store);

  test('waits for work that counts in it, and for everything to be recorded', async () => {
    const accountId = await invoiced();
    await charged(accountId, 'wallet_creation', 10);
    await provedBut(store(), { fromMs: SEPTEMBER, untilMs: NOVEMBER });
    expect(await close(CLOSING - 1)).toEqual([]);
    const money = createMoney({ ownerId: randomUUID() });
    const work = { accountId, operation: 'wallet_creation', units: 3, nowMs: NOVEMBER - 1 } as const;
    const reservation = await store().transaction((tx) => money.reserve(tx, work));
    expect(await close()).toEqual([]);
    await store().transaction((tx) => money.settle(tx, reservation, 2, CLOSING));
    expect(await close()).toHaveLength(1);
    const { invoice } = await readInvoice(store().db, { number: 'INV-000001' });
    expect(invoice.lines).toMatchObject([{ units: 12, amount_usd: '0.012' }]);
  });

  test('waits for the first work of a month, too, when that ends after the month', async () => {
    const accountId = await invoiced();
    const money = createMoney({ ownerId: randomUUID() });
    const work = { accountId, operation: 'wallet_creation', units: 3, nowMs: NOVEMBER - 1 } as const;
    const reservation = await store().transaction((tx) => money.reserve(tx, work));
    expect(await close()).toEqual([]);
    await store().transaction((tx) => money.settle(tx, reservation, 2, CLOSING + HOUR));
    expect(await close(CLOSING + HOUR)).toMatchObject([{ kind: 'invoice', due: 2_000n }]);
  });

  test('has all of its month: what a late clock charges then counts in the next one', async () => {
    const accountId = await invoiced();
    await charged(accountId, 'wallet_creation', 10);
    expect(await close()).toMatchObject([{ due: 10_000n }]);
    await charged(accountId, 'wallet_creation', 5_000, NOVEMBER - 1);
    const money = createMoney({ ownerId: randomUUID() });
    const late = { accountId, operation: 'managed_signing', units: 7, nowMs: NOVEMBER - 1 } as const;
    expect(await store().transaction((tx) => money.reserve(tx, late))).toMatchObject({ month: '2025-11' });
    await signHeads(store(), CLOSING);
    expect(await verifyInvoice(store(), 'INV-000001')).toMatchObject({ problems: [] });
    const { operations, monthCharged } = await readBalance(store(), accountId, CLOSING);
    expect([operations, monthCharged]).toEqual([{ wallet_creation: 5_000n }, 5n * USD]);
  });

  test('is not issued by a clock that is ahead of that of the store', async () => {
    const accountId = await invoiced();
    const nowMs = Date.now();
    await charged(accountId, 'wallet_creation', 10, nowMs);
    expect(await close(nowMs + 40 * 24 * HOUR)).toEqual([]);
  });

  test('has all of its signed records, also of servers whose clocks are ahead or late by more than ten minutes', async () => {
    const accountId = await invoiced();
    const MINUTE = 60_000;
    for (const startMs of [OCTOBER, NOVEMBER]) {
      await charged(accountId, 'wallet_creation', 10, startMs + 20 * MINUTE);
      await charged(accountId, 'wallet_creation', 100, startMs + 1);
    }
    await close();
    await charged(accountId, 'wallet_creation', 1_000, NOVEMBER - 20 * MINUTE);
    await charged(accountId, 'wallet_creation', 10_000, NOVEMBER + 30 * MINUTE);
    await close(Date.UTC(2025, 11, 2));
    await signHeads(store(), Date.UTC(2025, 11, 2));
    for (const number of ['INV-000001', 'INV-000002'])
      expect(await verifyInvoice(store(), number)).toMatchObject({ problems: [] });
  });

  test('is closed, and its terms reviewed, ten minutes after its end by the clock of the store, whatever a process says', async () => {
    const accountId = await customer();
    const terms = { accountId, mode: 'by_volume', creditLimit: USD } as const;
    await store().transaction((tx) => setTerms(tx, { ...terms, nowMs: OCTOBER }));
    await store().transaction((tx) => writeTerms(tx, accountId, { invoicedSince: '2025-10' }));
    const found = async (storeMs: number) =>
      atTimeOfStore(store(), storeMs, async (then) => [
        await monthsToClose(then, TEXTS).find(undefined, NOVEMBER + HOUR),
        await termsToReview(then).find(undefined, NOVEMBER + HOUR),
      ]);
    expect(await found(CLOSING - 1)).toEqual([[], []]);
    expect(await found(CLOSING)).toEqual([[], [{ accountId }]]);
    await deposit(accountId, USD);
    await charged(accountId, 'wallet_creation', 10);
    expect(await found(CLOSING - 1)).toEqual([[], []]);
    expect(await found(CLOSING)).toEqual([[{ accountId, month: '2025-10' }], []]);
  });

  test('is issued for a month that was above the threshold, even if nobody looked before it was over', async () => {
    const accountId = await customer();
    await deposit(accountId, 1_100n * USD);
    const terms = { accountId, mode: 'by_volume', creditLimit: USD, nowMs: OCTOBER } as const;
    await store().transaction((tx) => setTerms(tx, terms));
    await charged(accountId, 'wallet_creation', 1_000_001, NOVEMBER - 1);
    expect(await close()).toEqual([
      { kind: 'invoiced', accountId },
      { kind: 'invoice', accountId, number: 'INV-000001', due: 0n, dueOn: '2025-12-01' },
    ]);
  });

  test('is not issued for a month before the account was invoiced, nor for one that cost nothing', async () => {
    const accountId = await customer();
    await deposit(accountId, 5n * USD);
    await charged(accountId, 'wallet_creation', 1_000);
    const terms = { accountId, mode: 'invoiced', creditLimit: USD, nowMs: NOVEMBER + 1 } as const;
    await store().transaction((tx) => setTerms(tx, terms));
    await charged(accountId, 'hd_master_creation', 1, NOVEMBER + 2);
    expect(await close()).toEqual([]);
    expect(await close(Date.UTC(2025, 11, 2))).toEqual([]);
  });

  test('is issued, paid, for a month that was invoiced, whatever the terms become before it is closed', async () => {
    const terms = (accountId: string, mode: 'invoiced' | 'prepaid', nowMs: number) => {
      const creditLimit = mode === 'prepaid' ? 0n : 5n * USD;
      return store().transaction((tx) => setTerms(tx, { accountId, mode, creditLimit, nowMs }));
    };
    const [ended, turned, late] = [await invoiced(), await invoiced(), await customer()];
    for (const accountId of [ended, turned, late]) await deposit(accountId, 5n * USD);
    for (const accountId of [ended, turned, late]) await charged(accountId, 'wallet_creation', 1_000);
    await terms(ended, 'prepaid', NOVEMBER);
    for (const mode of ['prepaid', 'invoiced', 'prepaid'] as const) await terms(turned, mode, NOVEMBER + 1);
    for (const mode of ['invoiced', 'prepaid'] as const) await terms(late, mode, NOVEMBER + 1);
    const issued = await close();
    expect(issued).toMatchObject(
      [ended, turned].toSorted().map((accountId) => ({ kind: 'invoice', accountId, due: 0n })),
    );
    for (const accountId of [ended, turned, late])
      await charged(accountId, 'wallet_creation', 1_000, CLOSING);
    expect(await close(Date.UTC(2025, 11, 2))).toEqual([]);
  });

  test('of each account is issued when several servers close months and review terms at once', async () => {
    const [december, january] = [Date.UTC(2025, 11, 1), Date.UTC(2026, 0, 1)];
    const ids = await Promise.all(Array.from({ length: 25 }, customer));
    for (const accountId of ids) {
      await deposit(accountId, 1_001n * USD);
      const terms = { accountId, mode: 'by_volume', creditLimit: 5_000n * USD, nowMs: OCTOBER } as const;
      await store().transaction((tx) => setTerms(tx, terms));
      await charged(accountId, 'wallet_creation', 1_000_001);
    }
    const counts = new Map<string, number>();
    const newServer = () =>
      createBillingWork({
        store: store(),
        texts: TEXTS,
        tell: async () => undefined,
        onNotice: ({ kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1),
        onFailure: (error) => {
          throw error;
        },
      });
    const servers = [newServer(), newServer(), newServer()];
    for (const nowMs of [NOVEMBER - HOUR, CLOSING, december + 2 * HOUR, january + HOUR]) {
      const run = async (work: (nowMs: number) => Promise<boolean>) => {
        for (let step = 0; step < 5; step += 1) await work(nowMs);
      };
      await Promise.all(servers.map(run));
      if (nowMs !== CLOSING) continue;
      for (const accountId of ids) await charged(accountId, 'wallet_creation', 500_000, december + HOUR);
    }
    counts.delete('balance');
    const all = { invoiced: 25, invoice: 50, below: 25, prepaid: 25 };
    expect(Object.fromEntries(counts)).toEqual(all);
    for (const accountId of ids) {
      const [newest] = await listInvoices(store().db, { accountId, limit: 1 });
      expect(newest).toMatchObject({ month: '2025-12', outstanding: 499n * USD + 400n });
    }
  });
});
