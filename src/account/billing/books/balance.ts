import { and, eq } from '../../../store/drizzle.ts';
import { bookAccounts, operationCounts } from '../../../store/money-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { type BillingTerms, readTerms } from '../invoices/terms.ts';
import { utcMonth } from '../../../core/utc-month.ts';

/** The money of an account, in micro-USD. */
export type Balance = {
  readonly billing: 'prepaid' | 'invoiced';
  /** The mode that `billing` follows from, and the credit limit while the account is invoiced. */
  readonly mode: BillingTerms['mode'];
  readonly grantedCreditLimit: bigint;
  /** Deposits minus what is reserved or charged; below 0 for an invoiced account that owes. */
  readonly balance: bigint;
  /** Limit for `balance` below 0; 0 for a prepaid account, or the amount that it still owes. */
  readonly creditLimit: bigint;
  /** Amount that can be spent now: balance plus credit limit. */
  readonly available: bigint;
  /** Reserved for work under way. */
  readonly reserved: bigint;
  /** Total charged so far, less what was given back. */
  readonly charged: bigint;
  /** Charged in the current UTC month. */
  readonly monthCharged: bigint;
  /** Units charged in the current UTC month, by price row. */
  readonly operations: Readonly<Record<string, bigint>>;
};

/** Reads the balance of an account. All figures are 0 for an account without any movement. */
export async function readBalance(
  store: Pick<Store, 'db'>,
  accountId: string,
  nowMs: number,
): Promise<Balance> {
  const rows = await store.db.select().from(bookAccounts).where(eq(bookAccounts.accountId, accountId));
  const counts = await store.db
    .select()
    .from(operationCounts)
    .where(and(eq(operationCounts.accountId, accountId), eq(operationCounts.month, utcMonth(nowMs))));
  const terms = await readTerms(store.db, accountId);
  const balanceOf = (kind: string): bigint => rows.find((row) => row.kind === kind)?.balance ?? 0n;
  const balance = balanceOf('available');
  const creditLimit = -(rows.find(({ kind }) => kind === 'available')?.floor ?? 0n);
  return {
    billing: terms.invoicedSince === undefined ? 'prepaid' : 'invoiced',
    mode: terms.mode,
    grantedCreditLimit: terms.creditLimit,
    balance,
    creditLimit,
    available: balance + creditLimit,
    reserved: balanceOf('reserved'),
    charged: balanceOf('revenue'),
    monthCharged: counts.reduce((sum, { amount }) => sum + amount, 0n),
    operations: Object.fromEntries(counts.map(({ operation, units }) => [operation, units])),
  };
}
