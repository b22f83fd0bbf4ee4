import { setTerms } from '../../../../src/account/billing/invoices/set-terms.ts';
import { credit } from '../../../../src/account/billing/books/credit.ts';
import type { Operation } from '../../../../src/account/billing/books/prices.ts';
import { eq } from '../../../../src/store/drizzle.ts';
import type { Store } from '../../../../src/store/open-store.ts';
import { accounts } from '../../../../src/store/tables.ts';
import { newCustomer } from '../../new-customer.ts';
import { charge, closeAll } from './billed-account.ts';

export const USD = 1_000_000n;
export const HOUR = 3_600_000;
export const SEPTEMBER = Date.UTC(2025, 8, 1);
export const OCTOBER = Date.UTC(2025, 9, 1);
export const NOVEMBER = Date.UTC(2025, 10, 1);
/** A month is closed ten minutes after its end. */
export const CLOSING = NOVEMBER + 10 * 60_000;

/** Helpers that make events of a store's accounts in October, unless another time is given. */
export function inOctober(store: () => Store) {
  const customer = async (): Promise<string> => {
    const accountId = await newCustomer(store());
    const isIt = eq(accounts.id, accountId);
    await store()
      .db.update(accounts)
      .set({ createdAt: new Date(SEPTEMBER) })
      .where(isIt);
    return accountId;
  };
  const invoiced = async (creditLimit = 5_000n * USD): Promise<string> => {
    const accountId = await customer();
    const terms = { accountId, mode: 'invoiced', creditLimit, nowMs: OCTOBER } as const;
    await store().transaction((tx) => setTerms(tx, terms));
    return accountId;
  };
  return {
    customer,
    invoiced,
    charged: (accountId: string, operation: Operation, units: number, nowMs = OCTOBER + 9 * HOUR) =>
      charge(store(), { accountId, operation, units, nowMs }),
    deposit: (accountId: string, amount: bigint, nowMs = OCTOBER) =>
      store().transaction((tx) => credit(tx, { accountId, amount, note: undefined, nowMs })),
    close: (nowMs = CLOSING) => closeAll(store(), nowMs),
  };
}
