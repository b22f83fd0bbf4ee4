import { expect, test } from 'vitest';
import { crossNow } from '../../../src/account/billing/invoices/run-billing.ts';
import { credit as addCredit } from '../../../src/account/billing/books/credit.ts';
import { charge } from '../billing/invoices/billed-account.ts';
import { NOW_MS } from '../new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { openOperatorWorld } from './operator-world.ts';

const PAGE = { limit: 100 };

describeStores("operators' operations on billing", (backend) => {
  const store = backend.emptied();
  const open = () => openOperatorWorld(store());

  test('the invoices that it reads are on its own record', async () => {
    const { operator, asOperator, recordsOf } = await open();
    await asOperator('listAllInvoices', { query: { limit: 5 } });
    await expect(asOperator('readAnyInvoice', { id: 'INV-000001' })).rejects.toMatchObject({
      code: 'invoiceNotFound',
    });
    expect((await recordsOf(operator)).map(({ action }) => action)).toEqual(['listallinvoices']);
  });

  test('accounts that need a credit limit are marked, and listed alone', async () => {
    const { operator, customer, asOperator } = await open();
    const inNeed = async (): Promise<readonly string[]> => {
      const { accounts } = await asOperator('listAccounts', {
        query: { ...PAGE, only: 'needs_credit_limit' },
      });
      return accounts.map(({ account_id }) => account_id);
    };
    const credit = { accountId: customer, amount: 1_001_000_000n, note: undefined, nowMs: NOW_MS };
    await store().transaction((tx) => addCredit(tx, credit));
    const work = { accountId: customer, operation: 'wallet_creation', nowMs: NOW_MS } as const;
    await charge(store(), { ...work, units: 1_000_000 });
    await crossNow(store(), customer, NOW_MS);
    expect(await inNeed()).toEqual([]);
    await charge(store(), { ...work, units: 1 });
    await crossNow(store(), customer, NOW_MS);
    expect(await inNeed()).toEqual([customer]);
    const { accounts } = await asOperator('listAccounts', { query: PAGE });
    const marks = new Map(
      accounts.map(({ account_id, needs_credit_limit }) => [account_id, needs_credit_limit]),
    );
    expect([marks.get(customer), marks.get(operator)]).toEqual([true, false]);
    const body = { mode: 'by_volume', credit_limit_usd: '5000' } as const;
    expect(await asOperator('setBilling', { id: customer, body })).toMatchObject({
      balance: { needs_credit_limit: false, billing: 'invoiced' },
    });
    expect(await inNeed()).toEqual([]);
  });
});
