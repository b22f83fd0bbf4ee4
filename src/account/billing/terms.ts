import { PLANS } from '../../../generated/plans.ts';
import { billingTerms, type BILLING_MODES } from '../../store/billing-tables.ts';
import { and, eq, sql } from '../../store/drizzle.ts';
import { operationCounts } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';

/** How an account pays; see `billingTerms`. */
export type BillingTerms = {
  readonly mode: (typeof BILLING_MODES)[number];
  /** Micro-USD. */
  readonly creditLimit: bigint;
  /** The month since which it is invoiced; undefined: it pays from its balance. */
  readonly invoicedSince: string | undefined;
  /** The last month at whose end it was invoiced, once it pays from its balance again. */
  readonly invoicedUntil: string | undefined;
  /** The last month, if it was at or below the threshold and the account is invoiced still. */
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

/** Reads how an account pays. Exact while its books are locked. */
export async function readTerms(
  db: Pick<Store['db'] | StoreTransaction, 'select'>,
  accountId: string,
): Promise<BillingTerms> {
  const [row] = await db.select().from(billingTerms).where(eq(billingTerms.accountId, accountId));
  if (row === undefined) return DEFAULT_TERMS;
  const { mode, creditLimit, invoicedSince, invoicedUntil, below, recipient } = row;
  return {
    ...{ mode, creditLimit, recipient, below: below ?? undefined },
    ...{ invoicedSince: invoicedSince ?? undefined, invoicedUntil: invoicedUntil ?? undefined },
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

/** Returns what units of a month cost an account, in micro-USD, whatever was given back of it. Exact while its books are locked. */
export async function chargedIn(
  db: Pick<Store['db'] | StoreTransaction, 'select'>,
  accountId: string,
  month: string,
): Promise<bigint> {
  const [row] = await db
    .select({ charged: sql<string>`coalesce(sum(${operationCounts.amount}), 0)` })
    .from(operationCounts)
    .where(and(eq(operationCounts.accountId, accountId), eq(operationCounts.month, month)));
  return BigInt(row?.charged ?? 0);
}
