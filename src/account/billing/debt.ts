import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';

/** Totals of an account's books, in micro-USD. */
export type Totals = {
  /** What was charged, less what was given back. */
  readonly charged: bigint;
  /** Deposits, less what was taken back of them. */
  readonly deposited: bigint;
};

type Row = { readonly charged: string; readonly deposited: string; readonly counted: string };

/**
 * Reads the totals of an account up to the end of a month: without what counts in later months. Deposits pay the oldest charges first, so
 * all of them are in. Exact while its books are locked.
 */
export async function readTotals(
  db: Pick<Store['db'] | StoreTransaction, 'execute'>,
  accountId: string,
  month: string,
): Promise<Totals> {
  const { rows } = await db.execute<Row>(sql`
    select
      coalesce((select balance from ledger_accounts where account_id = ${accountId} and kind = 'revenue'), 0) as charged,
      coalesce((select -balance from ledger_accounts where account_id = ${accountId} and kind = 'funding'), 0) as deposited,
      (select coalesce(sum(amount), 0) from operation_counts where account_id = ${accountId} and month > ${month}) as counted`);
  const [row] = rows;
  return {
    charged: BigInt(row?.charged ?? 0) - BigInt(row?.counted ?? 0),
    deposited: BigInt(row?.deposited ?? 0),
  };
}

/** Returns how much of the last part of all charges the deposits do not pay, if they pay the oldest charges first. */
export function unpaidOf({ charged, deposited }: Totals, lastPart: bigint): bigint {
  const debt = charged - deposited;
  if (debt <= 0n) return 0n;
  return debt < lastPart ? debt : lastPart;
}
