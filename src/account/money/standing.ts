import { and, eq, sql } from '../../store/drizzle.ts';
import { ledgerAccounts, operationCounts } from '../../store/money-tables.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { type Books, type LockedBooks, openBooks } from './books.ts';
import type { Counted } from './operation-count.ts';

/** What a customer may spend, and how many units of one price row were charged before. */
export type Standing<B extends Books = Books> = { readonly books: B; readonly before: bigint };

/** How a customer stands now; a moment later it may be otherwise. */
export async function readStanding(
  db: Pick<StoreTransaction, 'select'>,
  { accountId, operation, month }: Counted,
): Promise<Standing> {
  const { accountId: owner, operation: row, month: inMonth, units } = operationCounts;
  const isCounted = and(eq(owner, ledgerAccounts.accountId), eq(row, operation), eq(inMonth, month));
  const [found] = await db
    .select({ available: ledgerAccounts.balance, floor: ledgerAccounts.floor, units })
    .from(ledgerAccounts)
    .leftJoin(operationCounts, isCounted)
    .where(and(eq(ledgerAccounts.accountId, accountId), eq(ledgerAccounts.kind, 'available')));
  return {
    books: { available: found?.available ?? 0n, floor: found?.floor ?? 0n },
    before: found?.units ?? 0n,
  };
}

/**
 * Locks the books of a customer until the transaction ends, as `lockBooks` does, and counts units, in one statement: the count waits
 * for the lock, and adds to what is there then.
 */
export async function lockAndCount(
  tx: StoreTransaction,
  counted: Counted & { readonly units: bigint },
): Promise<Standing<LockedBooks>> {
  const standing = await tryLockAndCount(tx, counted);
  if (standing !== undefined) return standing;
  await openBooks(tx, counted.accountId);
  const opened = await tryLockAndCount(tx, counted);
  if (opened === undefined) throw new Error('the books of an account that was removed meanwhile');
  return opened;
}

async function tryLockAndCount(
  tx: StoreTransaction,
  { accountId, operation, month, units }: Counted & { readonly units: bigint },
): Promise<Standing<LockedBooks> | undefined> {
  const { rows } = await tx.execute<{ available: string; floor: string | null; before: string }>(sql`
    with locked as (
      select balance, floor from ledger_accounts where account_id = ${accountId} and kind = 'available' for update
    ), counted as (
      insert into operation_counts as c (account_id, operation, month, units)
      select ${accountId}, ${operation}, ${month}, ${String(units)}::bigint from locked
      on conflict (account_id, operation, month) do update set units = c.units + excluded.units
      returning units
    )
    select locked.balance as available, locked.floor, counted.units - ${String(units)}::bigint as before from locked, counted`);
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    books: { accountId, available: BigInt(row.available), floor: BigInt(row.floor ?? 0) },
    before: BigInt(row.before),
  };
}
