import { sql } from '../../../store/drizzle.ts';
import { createStatement, type Executes } from '../../../store/statement.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { utcMonth } from '../../../core/utc-month.ts';
import { type Books, countingMonth, lockBooks } from './books.ts';
import type { Counted } from './operation-count.ts';

/** A customer's books, and the number of units of one price row charged before. */
export type Standing = { readonly books: Books; readonly before: bigint };

/** The same as the driver reads it. */
type StandingRow = {
  readonly available: string;
  readonly floor: string | null;
  readonly before: string | null;
};

const read = createStatement<Counted, StandingRow>(
  (param) => sql`
    select l.balance as available, l.floor, c.units as before from ledger_accounts l
    left join operation_counts c
      on c.account_id = l.account_id and c.operation = ${param('operation')} and c.month = ${param('month')}
    where l.account_id = ${param('accountId')} and l.kind = 'available'`,
);

/** Locks and counts nothing while the month is closed. */
const lock = createStatement<Counted & { readonly units: string }, StandingRow>(
  (param) => sql`
    with locked as (
      select balance, floor, closed_month from ledger_accounts
      where account_id = ${param('accountId')} and kind = 'available' and coalesce(closed_month, '') < ${param('month')}
      for update
    ), counted as (
      insert into operation_counts as c (account_id, operation, month, units)
      select ${param('accountId')}, ${param('operation')}, ${param('month')}, ${param('units')}::bigint from locked
      on conflict (account_id, operation, month) do update set units = c.units + excluded.units
      returning units
    )
    select locked.balance as available, locked.floor, counted.units - ${param('units')}::bigint as before from locked, counted`,
);

/** Returns the current standing of a customer, without a lock. */
export async function readStanding(
  db: Executes,
  { accountId, operation, month }: Counted,
): Promise<Standing> {
  const [row] = (await read(db, { accountId, operation, month })).rows;
  return row === undefined ? { books: { available: 0n, floor: 0n }, before: 0n } : toStanding(row);
}

/**
 * Locks the books of a customer until the transaction ends, as `lockBooks` does, and counts units, in one statement: the count waits for
 * the lock, and adds to the value at that time.
 *
 * @returns also the month that the units count in (see `countingMonth`).
 */
export async function lockAndCount(
  tx: StoreTransaction,
  { nowMs, ...uncounted }: Omit<Counted, 'month'> & { readonly units: bigint; readonly nowMs: number },
): Promise<Standing & { readonly month: string }> {
  const now = utcMonth(nowMs);
  const standing = await tryLockAndCount(tx, { ...uncounted, month: now });
  if (standing !== undefined) return { ...standing, month: now };
  const month = countingMonth(await lockBooks(tx, uncounted.accountId), nowMs);
  const opened = await tryLockAndCount(tx, { ...uncounted, month });
  if (opened === undefined) throw new Error('the account was removed while its books were locked');
  return { ...opened, month };
}

async function tryLockAndCount(
  tx: StoreTransaction,
  { accountId, operation, month, units }: Counted & { readonly units: bigint },
): Promise<Standing | undefined> {
  const [row] = (await lock(tx, { accountId, operation, month, units: String(units) })).rows;
  return row && toStanding(row);
}

function toStanding({ available, floor, before }: StandingRow): Standing {
  return { books: { available: BigInt(available), floor: BigInt(floor ?? 0) }, before: BigInt(before ?? 0) };
}
