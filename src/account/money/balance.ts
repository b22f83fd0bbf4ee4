import { and, eq } from '../../store/drizzle.ts';
import { ledgerAccounts, operationCounts } from '../../store/money-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { utcMonth } from './prices.ts';

/** How an account stands. Money in micro-USD. */
export type Balance = {
  readonly billing: 'prepaid' | 'invoiced';
  /** What was paid in and neither set aside nor charged; below 0 where an invoiced account owes. */
  readonly balance: bigint;
  /** How far `balance` may go below 0; 0 for a prepaid account. */
  readonly creditLimit: bigint;
  /** What may be spent now: balance and credit limit. */
  readonly available: bigint;
  /** Set aside for work under way. */
  readonly reserved: bigint;
  /** Charged since ever. */
  readonly charged: bigint;
  /** Units charged in the running UTC month, by price row. */
  readonly operations: Readonly<Record<string, bigint>>;
};

/** Reads how an account stands. One that money never moved for has 0 of everything. */
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
