import { and, eq } from '../../store/drizzle.ts';
import { ledgerAccounts, operationCounts } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { utcMonth } from './prices.ts';

/** The money of an account, in micro-USD. */
export type Balance = {
  readonly billing: 'prepaid' | 'invoiced';
  /** Deposits minus what is reserved or charged; below 0 for an invoiced account that owes. */
  readonly balance: bigint;
  /** Limit for `balance` below 0; 0 for a prepaid account. */
  readonly creditLimit: bigint;
  /** Amount that can be spent now: balance plus credit limit. */
  readonly available: bigint;
  /** Reserved for work under way. */
  readonly reserved: bigint;
  /** Total charged so far. */
  readonly charged: bigint;
  /** Units charged in the current UTC month, by price row. */
  readonly operations: Readonly<Record<string, bigint>>;
};

/** Reads the balance of an account. All figures are 0 for an account without any movement. */
export async function readBalance(
  store: Pick<Store, 'db'>,
  accountId: string,
  nowMs: number,
): Promise<Balance> {
  const rows = await store.db.select().from(ledgerAccounts).where(eq(ledgerAccounts.accountId, accountId));
  const counts = await store.db
    .select()
    .from(operationCounts)
    .where(and(eq(operationCounts.accountId, accountId), eq(operationCounts.month, utcMonth(nowMs))));
  const balanceOf = (kind: string): bigint => rows.find((row) => row.kind === kind)?.balance ?? 0n;
  const balance = balanceOf('available');
  const creditLimit = -(rows.find(({ kind }) => kind === 'available')?.floor ?? 0n);
  return {
    billing: creditLimit > 0n ? 'invoiced' : 'prepaid',
    balance,
    creditLimit,
    available: balance + creditLimit,
    reserved: balanceOf('reserved'),
    charged: balanceOf('revenue'),
    operations: Object.fromEntries(counts.map(({ operation, units }) => [operation, units])),
  };
}
