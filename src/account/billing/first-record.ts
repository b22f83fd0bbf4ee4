import type { SQL } from 'drizzle-orm';
import { monthsLater, monthStartMs } from '../../base/utc-month.ts';
import { sql } from '../../store/drizzle.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AccountMonth } from './account-month.ts';

/** Clocks of servers may differ by so much: a charge of a month may have a record that is dated so much before it. */
const CLOCKS_MS = 10 * 60_000;

/**
 * Returns the number of a record that no record of a charge of later months comes before, in the chain of an account whose month is being
 * closed: what is charged from now on counts in later months, whatever a clock says.
 */
export async function readNextSeq(tx: StoreTransaction, { accountId, month }: AccountMonth): Promise<number> {
  const endMs = monthStartMs(monthsLater(month, 1));
  const { rows } = await tx.execute<{ readonly seq: string | null }>(sql`
    select least(
      (select seq + 1 from audit_tips where account_id = ${accountId}),
      ${lowestSeqSince(accountId, endMs - CLOCKS_MS)}
    ) as seq`);
  return Number(rows[0]?.seq ?? 1);
}

/**
 * Returns the number of a record that no record of a charge of a month comes before: from what was kept when the last month before was
 * closed.
 */
export async function readFirstSeq(
  tx: StoreTransaction,
  { accountId, month }: AccountMonth,
): Promise<number> {
  const { rows } = await tx.execute<{ readonly seq: string | null }>(sql`
    select coalesce(
      (select next_seq from closed_months where account_id = ${accountId} and month < ${month} order by month desc limit 1),
      ${lowestSeqSince(accountId, monthStartMs(month))}
    ) as seq`);
  return Number(rows[0]?.seq ?? 1);
}

/**
 * The lowest number of a day from the first record on that is dated at an instant or later: records of a clock that is ahead have lower ones.
 * The records are found by their time: without the limit PostgreSQL may walk the whole chain.
 */
function lowestSeqSince(accountId: string, ms: number): SQL {
  const isLater = sql`account_id = ${accountId} and at >= ${new Date(ms).toISOString()}::timestamptz`;
  const first = sql`(select min(at) from audit_records where ${isLater})`;
  const isWanted = sql`${isLater} and at < ${first} + interval '1 day'`;
  return sql`(select min(seq) from (select seq from audit_records where ${isWanted} offset 0) wanted)`;
}
