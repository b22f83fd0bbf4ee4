import { ensureAccount } from '../../src/account/accounts/accounts.ts';
import { crossNow } from '../../src/account/billing/invoices/run-billing.ts';
import { setTerms } from '../../src/account/billing/invoices/set-terms.ts';
import { credit } from '../../src/account/billing/books/credit.ts';
import type { Operation } from '../../src/account/billing/books/prices.ts';
import { monthsLater, monthStartMs, utcMonth } from '../../src/core/utc-month.ts';
import type { Store } from '../../src/store/open-store.ts';
import { charge, provedBut } from '../account/billing/invoices/billed-account.ts';

const USD = 1_000_000n;
const HOUR = 3_600_000;
const NOW = Date.now();

/** The months of the two invoices: over for long enough on every day of a month. */
export const FIRST_MONTH = monthsLater(utcMonth(NOW), -3);
export const SECOND_MONTH = monthsLater(utcMonth(NOW), -2);

/** Texts of the invoices of the server that closes the months. */
export const BILLING_ENV = {
  KEYSLOT_BILLING_SELLER: 'Example Nodes Ltd\n2 Harbour Road\nTax number 12-345',
  KEYSLOT_BILLING_PAYMENT_NOTE: 'By transfer to IBAN XX00 0000 0000\nName the number of the invoice.',
};

/**
 * Fills the store of a server that does not run yet with accounts that are invoiced: it closes two months of each when it starts. The first
 * cost 200 USD, which a deposit paid; the second 358.00012 USD, of which a tenth is given back for an hour without service, and 100 USD
 * were paid. This month cost 40 USD so far.
 */
export async function fillBilling(store: Store, names: readonly string[]): Promise<void> {
  const [fromMs, secondMs] = [monthStartMs(FIRST_MONTH), monthStartMs(SECOND_MONTH)];
  const down = { fromMs: secondMs + 100 * HOUR, untilMs: secondMs + 101 * HOUR };
  await provedBut(store, { fromMs, untilMs: monthStartMs(monthsLater(SECOND_MONTH, 1)) }, down);
  for (const name of names)
    await fillAccount(store, name, { firstMs: fromMs + HOUR, secondMs: secondMs + HOUR });
}

type Times = { readonly firstMs: number; readonly secondMs: number };

async function fillAccount(store: Store, name: string, { firstMs, secondMs }: Times): Promise<void> {
  const accountId = await ensureAccount(store, name, firstMs);
  await store.transaction(async (tx) => {
    await setTerms(tx, { accountId, mode: 'invoiced', creditLimit: 5_000n * USD, nowMs: firstMs });
    await credit(tx, { accountId, amount: 300n * USD, note: 'transfer 1', nowMs: firstMs });
  });
  const work = (operation: Operation, units: number, nowMs: number) =>
    charge(store, { accountId, operation, units, nowMs });
  await work('wallet_creation', 200_000, firstMs);
  await work('managed_signing', 1_200_003, secondMs);
  await work('wallet_creation', 250_000, secondMs);
  await work('hd_master_creation', 2, secondMs);
  await work('wallet_creation', 40_000, Date.now());
}

/** Fills a store with an account that was charged 1,000.0004 USD this month, and has no credit limit. */
export async function fillAccountInNeed(store: Store, name: string): Promise<void> {
  const nowMs = Date.now();
  const accountId = await ensureAccount(store, name, nowMs);
  await store.transaction((tx) => credit(tx, { accountId, amount: 1_100n * USD, note: 'transfer 1', nowMs }));
  await charge(store, { accountId, operation: 'wallet_creation', units: 1_000_001, nowMs });
}

/** Fills a store with an account that is invoiced, and pays from its balance again if this month costs as little as the last one. */
export async function fillCalmAccount(store: Store, name: string): Promise<void> {
  const atMs = monthStartMs(SECOND_MONTH) + HOUR;
  const accountId = await ensureAccount(store, name, atMs);
  await store.transaction((tx) =>
    credit(tx, { accountId, amount: 1_100n * USD, note: 'transfer 1', nowMs: atMs }),
  );
  await charge(store, { accountId, operation: 'wallet_creation', units: 1_000_001, nowMs: atMs });
  const terms = { accountId, mode: 'by_volume', creditLimit: 5_000n * USD, nowMs: atMs } as const;
  await store.transaction((tx) => setTerms(tx, terms));
  await crossNow(store, accountId, atMs);
}
