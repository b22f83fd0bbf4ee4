import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  lowBalances,
  readBalanceNotices,
  setBalanceNotices,
} from '../../../../src/account/billing/invoices/balance-notices.ts';
import {
  crossNow,
  thresholdsToCross,
  termsToReview,
} from '../../../../src/account/billing/invoices/run-billing.ts';
import { listInvoices } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { readTerms } from '../../../../src/account/billing/invoices/terms.ts';
import { listAudit } from '../../../../src/account/audit/list-audit.ts';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import { createMoney } from '../../../../src/account/billing/books/money.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import { accounts } from '../../../../src/store/tables.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer } from '../../new-customer.ts';
import { charge, closeAll } from './billed-account.ts';
import { runRound } from './run-round.ts';

const USD = 1_000_000n;
const OCTOBER = Date.UTC(2025, 9, 1);
const monthAt = (month: number): number => Date.UTC(2025, month, 3);
/** Costs 1,000 USD: nothing above it is reached yet. */
const AT_THRESHOLD = 1_000_000;

describeStores('how an account pays', (backend) => {
  const store = backend.emptied();
  const spend = (accountId: string, units: number, nowMs = OCTOBER) =>
    charge(store(), { accountId, operation: 'wallet_creation', units, nowMs });
  const deposit = (accountId: string, amount: bigint) =>
    store().transaction((tx) => credit(tx, { accountId, amount, note: undefined, nowMs: OCTOBER }));
  const set = (
    accountId: string,
    mode: 'by_volume' | 'invoiced' | 'prepaid',
    creditLimit = 0n,
    nowMs = OCTOBER,
  ) => store().transaction((tx) => setTerms(tx, { accountId, mode, creditLimit, nowMs }));
  const actions = async (accountId: string): Promise<readonly string[]> =>
    (await listAudit(store(), accountId, { limit: 50 })).records
      .map(({ action }) => action)
      .filter((action) => action.startsWith('billing'));
  const cross = () => runRound(thresholdsToCross(store()), OCTOBER);
  const notice = () => runRound(lowBalances(store()), OCTOBER);
  /** Closes what is over, too: nothing else is reviewed. */
  const review = async (nowMs: number) => {
    await closeAll(store(), nowMs);
    return runRound(termsToReview(store()), nowMs);
  };
  const standing = (accountId: string) => readBalance(store(), accountId, OCTOBER);

  test('changes above 1,000 USD in a month, not at it, to being invoiced within the credit limit', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 50n * USD);
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, AT_THRESHOLD);
    expect(await cross()).toEqual([]);
    expect(await standing(accountId)).toMatchObject({ billing: 'prepaid', creditLimit: 0n, available: USD });
    await spend(accountId, 1);
    const both = await Promise.all([cross(), cross()]);
    expect(both.flat()).toEqual([{ kind: 'invoiced', accountId }]);
    expect(await standing(accountId)).toMatchObject({
      billing: 'invoiced',
      mode: 'by_volume',
      creditLimit: 50n * USD,
      available: 51n * USD - 400n,
    });
    expect(await actions(accountId)).toEqual(['billing.invoiced']);
  });

  test('changes at 1,000 USD with an operation that goes above it; money that is reserved counts', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', USD);
    await deposit(accountId, 1_000n * USD);
    await spend(accountId, AT_THRESHOLD - 10);
    const crossing = (wanted: bigint) => crossNow(store(), accountId, OCTOBER, { wanted });
    expect(await crossing(10_000n)).toEqual([]);
    const work = { accountId, operation: 'wallet_creation', units: 10, nowMs: OCTOBER } as const;
    await store().transaction((tx) => createMoney({ ownerId: randomUUID() }).reserve(tx, work));
    expect(await crossing(0n)).toEqual([]);
    expect(await crossing(USD + 1n)).toEqual([]);
    const both = await Promise.all([crossing(1n), crossing(400n)]);
    expect(both.flat()).toEqual([{ kind: 'invoiced', accountId }]);
    expect(await standing(accountId)).toMatchObject({ billing: 'invoiced', available: USD });
  });

  test('stays without a credit limit; the operators are notified once a month, and a limit helps', async () => {
    const accountId = await newCustomer(store());
    const operatorId = await newCustomer(store());
    await store().db.update(accounts).set({ operates: true }).where(eq(accounts.id, operatorId));
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, AT_THRESHOLD + 1);
    expect(await cross()).toEqual([{ kind: 'threshold', accountId }]);
    expect(await cross()).toEqual([]);
    const { records } = await listAudit(store(), operatorId, { limit: 10 });
    expect(records).toMatchObject([{ action: 'billing.threshold', subject: accountId }]);
    expect(await standing(accountId)).toMatchObject({ billing: 'prepaid' });
    await set(accountId, 'by_volume', 5n * USD);
    expect(await cross()).toEqual([{ kind: 'invoiced', accountId }]);
    expect(await standing(accountId)).toMatchObject({ billing: 'invoiced', creditLimit: 5n * USD });
    expect(await actions(accountId)).toEqual(['billing.invoiced']);
  });

  test('is chosen by the operator alone for the modes prepaid and invoiced', async () => {
    const accountId = await newCustomer(store());
    await deposit(accountId, 2_000n * USD);
    await set(accountId, 'prepaid');
    await spend(accountId, AT_THRESHOLD + 1);
    expect(await crossNow(store(), accountId, OCTOBER)).toEqual([]);
    await set(accountId, 'invoiced', 10n * USD);
    expect(await review(monthAt(11))).toEqual([]);
    expect(await standing(accountId)).toMatchObject({ billing: 'invoiced', mode: 'invoiced' });
  });

  test('is not changed to less than the account owes', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'invoiced', 10n * USD);
    await spend(accountId, 7_000);
    for (const [mode, limit] of [
      ['prepaid', 0n],
      ['by_volume', 0n],
      ['invoiced', 7n * USD - 1n],
    ] as const)
      await expect(set(accountId, mode, limit)).rejects.toMatchObject({
        code: 'accountOwes',
        context: { owedUsd: '7.00' },
      });
    expect(await readTerms(store().db, accountId)).toMatchObject({
      mode: 'invoiced',
      creditLimit: 10n * USD,
    });
  });

  test('returns to the balance after two months at or below 1,000 USD, with a notice after the first', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 3_000n * USD);
    await deposit(accountId, 1_000n * USD);
    await spend(accountId, AT_THRESHOLD);
    await deposit(accountId, USD);
    await spend(accountId, 1);
    await cross();
    await spend(accountId, AT_THRESHOLD, monthAt(10));
    expect(await review(monthAt(10))).toEqual([]);
    expect(await review(monthAt(11))).toEqual([{ kind: 'below', accountId }]);
    expect(await review(monthAt(11))).toEqual([]);
    expect(await standing(accountId)).toMatchObject({ billing: 'invoiced' });
    expect(await readTerms(store().db, accountId)).toMatchObject({ below: '2025-11' });
    const both = await Promise.all([review(monthAt(12)), review(monthAt(12))]);
    expect(both.flat()).toEqual([{ kind: 'prepaid', accountId }]);
    expect(await actions(accountId)).toEqual(['billing.prepaid', 'billing.below', 'billing.invoiced']);
    // It owes 999.9996 USD, and spends nothing before that is paid.
    expect(await standing(accountId)).toMatchObject({
      billing: 'prepaid',
      available: 0n,
      balance: -999n * USD - 400n,
    });
    await deposit(accountId, 500n * USD);
    expect(await standing(accountId)).toMatchObject({ available: 0n });
    await deposit(accountId, 500n * USD);
    expect(await standing(accountId)).toMatchObject({ available: USD - 400n, creditLimit: 0n });
  });

  test('stays when a month in between is above 1,000 USD', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 9_000n * USD);
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, AT_THRESHOLD + 1);
    await cross();
    await spend(accountId, 5, monthAt(10));
    expect(await review(monthAt(11))).toEqual([{ kind: 'below', accountId }]);
    await spend(accountId, 2 * AT_THRESHOLD, monthAt(11));
    expect(await review(monthAt(12))).toEqual([]);
    expect(await review(monthAt(13))).toEqual([{ kind: 'below', accountId }]);
  });

  test('stays when the month between two low ones was above 1,000 USD, and nobody looked after it', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 50_000n * USD);
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, AT_THRESHOLD + 1);
    await cross();
    await spend(accountId, 10, monthAt(10));
    expect(await review(monthAt(11))).toEqual([{ kind: 'below', accountId }]);
    await spend(accountId, 5 * AT_THRESHOLD, monthAt(11));
    expect(await review(monthAt(13))).toEqual([{ kind: 'below', accountId }]);
    expect(await readTerms(store().db, accountId)).toMatchObject({ below: '2026-01' });
  });

  test('waits with its review for work of the month, and gives no credit for what that gives back', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 5_000n * USD);
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, AT_THRESHOLD + 1);
    await cross();
    await review(monthAt(11));
    await spend(accountId, 100_000, monthAt(11));
    const money = createMoney({ ownerId: randomUUID() });
    const reserve = (nowMs: number) => {
      const work = { accountId, operation: 'wallet_creation', units: 400_000, nowMs } as const;
      return store().transaction((tx) => money.reserve(tx, work));
    };
    const reservations = [await reserve(monthAt(11)), await reserve(monthAt(12))];
    expect(await review(monthAt(12))).toEqual([]);
    for (const each of reservations.slice(0, 1))
      await store().transaction((tx) => money.settle(tx, each, 100_000, monthAt(12)));
    expect(await review(monthAt(12))).toEqual([{ kind: 'prepaid', accountId }]);
    expect(await standing(accountId)).toMatchObject({ balance: -599n * USD - 400n, available: 0n });
    for (const each of reservations.slice(1))
      await store().transaction((tx) => money.release(tx, each, monthAt(12)));
    expect(await standing(accountId)).toMatchObject({
      billing: 'prepaid',
      balance: -199n * USD - 400n,
      available: 0n,
    });
  });

  test('has all that is owed on invoices, also what was spent before the review', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 5_000n * USD);
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, AT_THRESHOLD + 1);
    await cross();
    await review(monthAt(11));
    await spend(accountId, 500_000, monthAt(11));
    await spend(accountId, 900_000, Date.UTC(2026, 0, 1, 0, 2));
    expect(await review(Date.UTC(2026, 0, 1, 0, 11))).toEqual([{ kind: 'prepaid', accountId }]);
    await closeAll(store(), monthAt(13));
    const issued = await listInvoices(store().db, { accountId, limit: 9 });
    expect(issued.map(({ month, outstanding }) => [month, outstanding])).toEqual([
      ['2026-01', 900n * USD],
      ['2025-12', 499n * USD + 400n],
      ['2025-10', 0n],
    ]);
  });

  test('is told below each amount of its choice, once until money is added', async () => {
    const accountId = await newCustomer(store());
    await deposit(accountId, 100n * USD);
    expect(await readBalanceNotices(store().db, accountId)).toEqual([10n * USD]);
    await store().transaction((tx) => setBalanceNotices(tx, accountId, [5n * USD, 20n * USD, 200n * USD]));
    expect(await notice()).toMatchObject([{ threshold: 200n * USD, available: 100n * USD }]);
    expect(await notice()).toEqual([]);
    await spend(accountId, 80_000);
    expect(await notice()).toEqual([]);
    await spend(accountId, 1);
    const told = { kind: 'balance', accountId, threshold: 20n * USD, available: 20n * USD - 1_000n };
    const both = await Promise.all([notice(), notice()]);
    expect(both.flat()).toEqual([told]);
    await deposit(accountId, 200n * USD);
    expect(await notice()).toEqual([]);
    await spend(accountId, 219_000);
    expect(await notice()).toMatchObject([{ threshold: 5n * USD, available: 999_000n }]);
    const { records } = await listAudit(store(), accountId, { action: 'balance.low', limit: 10 });
    expect(records.map(({ subject }) => subject)).toEqual(['200.00', '20.00', '5.00', '20.00', '200.00']);
  });

  test('is told again when what was added is spent before anybody looked', async () => {
    const accountId = await newCustomer(store());
    await deposit(accountId, 25n * USD);
    await spend(accountId, 20_000);
    expect(await notice()).toMatchObject([{ threshold: 10n * USD, available: 5n * USD }]);
    await deposit(accountId, 25n * USD);
    await spend(accountId, 24_000);
    expect(await notice()).toMatchObject([{ threshold: 10n * USD, available: 6n * USD }]);
  });

  test('comes with a notice at 10 USD, and none before the first deposit; without amounts there is none', async () => {
    const accountId = await newCustomer(store());
    const money = createMoney({ ownerId: randomUUID() });
    const work = { accountId, operation: 'hd_master_creation', units: 1, nowMs: OCTOBER } as const;
    await store().transaction((tx) => money.chargeNow(tx, work));
    expect(await notice()).toEqual([]);
    await deposit(accountId, 9n * USD);
    expect(await notice()).toMatchObject([{ threshold: 10n * USD, available: 9n * USD }]);
    await store().transaction((tx) => setBalanceNotices(tx, accountId, []));
    await deposit(accountId, 10n * USD);
    await spend(accountId, 18_000);
    expect(await notice()).toEqual([]);
  });
});
