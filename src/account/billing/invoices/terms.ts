import { PLANS } from '../../../../generated/plans.ts';
import { billingTerms, type BILLING_MODES } from '../../../store/billing-tables.ts';
import { and, eq, sql } from '../../../store/drizzle.ts';
import { bookAccounts, operationCounts } from '../../../store/money-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';

/** The billing terms of an account; see `billingTerms`. */
export type BillingTerms = {
  readonly mode: (typeof BILLING_MODES)[number];
  /** Micro-USD. */
  readonly creditLimit: bigint;
  /** The month since which it is invoiced; undefined: it pays from its balance. */
  readonly invoicedSince: string | undefined;
  /** The last month at whose end it was invoiced, once it pays from its balance again. */
  readonly invoicedUntil: string | undefined;
  /** The last month, if it was at or below the threshold and the account is still invoiced. */
  readonly below: string | undefined;
  readonly recipient: string;
};

/** Accounts that are charged more than this in a month of UTC are invoiced, in micro-USD (interface.md section 8). */
export const INVOICE_THRESHOLD = BigInt(PLANS.billing.invoice_threshold.micro_usd);

const DEFAULT_TERMS: BillingTerms = {
  mode: 'by_volume',
  creditLimit: 0n,
  invoicedSince: undefined,
  invoicedUntil: undefined,
  below: undefined,
  recipient: '',
};

type Reads = Pick<Store['db'] | StoreTransaction, 'select'>;

/** Reads how an account pays. Exact while its books are locked. */
export async function readTerms(db: Reads, accountId: string): Promise<BillingTerms> {
  const [row] = await db.select().from(billingTerms).where(eq(billingTerms.accountId, accountId));
  if (row === undefined) return DEFAULT_TERMS;
  const { mode, creditLimit, invoicedSince, invoicedUntil, below, recipient } = row;
  return {
    mode,
    creditLimit,
    recipient,
    below: below ?? undefined,
    invoicedSince: invoicedSince ?? undefined,
    invoicedUntil: invoicedUntil ?? undefined,
  };
}

/** Writes members of the terms of an account. */
export async function writeTerms(
  tx: StoreTransaction,
  accountId: string,
  changed: Partial<Omit<typeof billingTerms.$inferInsert, 'accountId'>>,
): Promise<void> {
  await tx.insert(billingTerms).values({ accountId }).onConflictDoNothing();
  await tx.update(billingTerms).set(changed).where(eq(billingTerms.accountId, accountId));
}

/** Returns the cost of an account's units in a month, in micro-USD, before anything is given back. Exact while its books are locked. */
export async function chargedIn(db: Reads, accountId: string, month: string): Promise<bigint> {
  const [row] = await db
    .select({ charged: sql<string>`coalesce(sum(${operationCounts.amount}), 0)` })
    .from(operationCounts)
    .where(and(eq(operationCounts.accountId, accountId), eq(operationCounts.month, month)));
  return BigInt(row?.charged ?? 0);
}

/** Returns the cost of a month with a requested operation and the operations that money is reserved for, in micro-USD. */
export async function costWith(
  db: Reads,
  { accountId, month, wanted }: AccountMonth & { readonly wanted: bigint },
): Promise<bigint> {
  const [row] = await db
    .select({ reserved: bookAccounts.balance })
    .from(bookAccounts)
    .where(and(eq(bookAccounts.accountId, accountId), eq(bookAccounts.kind, 'reserved')));
  return (await chargedIn(db, accountId, month)) + (row?.reserved ?? 0n) + wanted;
}

/** A month of UTC of an account, such as 2026-01. */
export type AccountMonth = { readonly accountId: string; readonly month: string };
