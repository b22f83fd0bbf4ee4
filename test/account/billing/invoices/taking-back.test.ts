import { expect, test } from 'vitest';
import { thresholdsToCross, termsToReview } from '../../../../src/account/billing/invoices/run-billing.ts';
import { issueCreditNote } from '../../../../src/account/billing/invoices/issue-credit-note.ts';
import { listInvoices } from '../../../../src/account/billing/invoices/read-invoices.ts';
import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { readBalance } from '../../../../src/account/billing/books/balance.ts';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import { operationCounts } from '../../../../src/store/money-tables.ts';
import { describeStores } from '../../../store/backends.ts';
import { newCustomer } from '../../new-customer.ts';
import { charge, closeAll } from './billed-account.ts';
import { OCTOBER, SEPTEMBER, USD } from './october.ts';
import { runRound } from './run-round.ts';

const monthAt = (month: number): number => Date.UTC(2025, month, 3);

describeStores('a deposit', (backend) => {
  const store = backend.emptied();
  const spend = (accountId: string, units: number, nowMs = OCTOBER) =>
    charge(store(), { accountId, operation: 'wallet_creation', units, nowMs });
  const deposit = (accountId: string, amount: bigint) =>
    store().transaction((tx) => credit(tx, { accountId, amount, note: undefined, nowMs: OCTOBER }));
  const set = (accountId: string, mode: 'by_volume' | 'invoiced', creditLimit: bigint) =>
    store().transaction((tx) => setTerms(tx, { accountId, mode, creditLimit, nowMs: OCTOBER }));
  const review = async (nowMs: number) => {
    await closeAll(store(), nowMs);
    return runRound(termsToReview(store()), nowMs);
  };
  const standing = (accountId: string) => readBalance(store(), accountId, OCTOBER);

  test('that pays invoices can be taken back, and is owed again; one that paid for more cannot', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'by_volume', 5_000n * USD);
    await deposit(accountId, 1_001n * USD);
    await spend(accountId, 1_000_001);
    await runRound(thresholdsToCross(store()), OCTOBER);
    await spend(accountId, 160_000);
    await review(monthAt(11));
    await review(monthAt(12));
    expect(await standing(accountId)).toMatchObject({ billing: 'prepaid', balance: -63n * USD - 400n });
    await deposit(accountId, 30n * USD);
    await deposit(accountId, -30n * USD);
    expect(await standing(accountId)).toMatchObject({ balance: -63n * USD - 400n, available: 0n });
    await deposit(accountId, 104n * USD);
    await spend(accountId, 40_000, monthAt(12));
    await closeAll(store(), monthAt(13));
    // January was paid from the balance: it has no invoice.
    await expect(deposit(accountId, -40n * USD)).rejects.toMatchObject({ code: 'creditNotAvailable' });
    const other = await newCustomer(store());
    await deposit(other, 5n * USD);
    await spend(other, 5_000);
    await expect(deposit(other, -1n)).rejects.toMatchObject({ code: 'creditNotAvailable' });
  });

  test('that paid for a month without an invoice cannot be taken back, whatever the limit or later credit notes', async () => {
    const accountId = await newCustomer(store());
    await deposit(accountId, 50n * USD);
    await spend(accountId, 50_000);
    await closeAll(store(), monthAt(10));
    await set(accountId, 'invoiced', 1_000n * USD);
    await expect(deposit(accountId, -1n)).rejects.toMatchObject({
      code: 'creditNotAvailable',
      context: { amountUsd: '0.000001', availableUsd: '0.00' },
    });
    await spend(accountId, 40_000, monthAt(10));
    await deposit(accountId, 30n * USD);
    // October was paid, and November is not closed: it will be on an invoice.
    await deposit(accountId, -30n * USD);
    await closeAll(store(), monthAt(11));
    const [{ number: invoiceNumber = '' } = {}] = await listInvoices(store().db, { accountId, limit: 1 });
    const note = { reason: 'a test', reference: 'one', nowMs: monthAt(11) };
    await store().transaction((tx) => issueCreditNote(tx, { ...note, invoiceNumber, amount: 40n * USD }));
    await expect(deposit(accountId, -1n)).rejects.toMatchObject({ code: 'creditNotAvailable' });
    const [listed] = await listInvoices(store().db, { accountId, limit: 1 });
    expect(listed).toMatchObject({ outstanding: 0n, credited: 40n * USD });
    expect(await standing(accountId)).toMatchObject({ balance: 0n });
  });

  test('can be taken back, and no more than it, from an account that owes months of before they were closed here', async () => {
    const accountId = await newCustomer(store());
    await set(accountId, 'invoiced', 1_000n * USD);
    await spend(accountId, 500_000, SEPTEMBER);
    await store().db.update(operationCounts).set({ isClosed: true, amount: 0n });
    for (const month of [9, 10]) {
      await deposit(accountId, 100n * USD);
      await expect(deposit(accountId, -100n * USD - 1n)).rejects.toMatchObject({
        code: 'creditNotAvailable',
      });
      await deposit(accountId, -100n * USD);
      await spend(accountId, 1_000, monthAt(month));
      await closeAll(store(), monthAt(month + 1));
    }
    const issued = await listInvoices(store().db, { accountId, limit: 9 });
    expect(issued.map(({ month, outstanding }) => [month, outstanding])).toEqual([
      ['2025-11', USD],
      ['2025-10', USD],
    ]);
    expect(await standing(accountId)).toMatchObject({ balance: -502n * USD });
  });
});
