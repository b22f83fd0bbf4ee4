import type { SQL } from 'drizzle-orm';
import { and, between, count, eq, sql } from '../../store/drizzle.ts';
import { serviceError } from '../../base/service-error.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { derivationTombstones, wallets } from '../../store/wallet-tables.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type DerivationRange, childIndexKey, type ChildIndex } from './child-index.ts';
import { isDestroyed } from './is-destroyed.ts';
import { destroyedOf } from './reconciliation.ts';
import type { WalletRow } from './wallet-row.ts';

type IndexColumns = Pick<typeof wallets, 'masterId' | 'x' | 'y'> | typeof derivationTombstones;

/** Returns the number of stored children in a range. */
export async function countChildren(
  context: WalletContext,
  masterId: string,
  range: DerivationRange,
): Promise<number> {
  const [found] = await read(context, (db) =>
    db
      .select({ there: count() })
      .from(wallets)
      .where(within(wallets, masterId, range)),
  );
  return found?.there ?? 0;
}

/**
 * Returns the stored children at some indexes, by `childIndexKey`.
 *
 * @throws ServiceError `derivationDestroyed` for a row whose wallet is destroyed.
 */
export async function readChildren(
  context: WalletContext,
  masterId: string,
  indexes: readonly ChildIndex[],
): Promise<Map<string, WalletRow>> {
  const isThere = at(wallets, masterId, indexes);
  const found = await read(context, (db) =>
    db
      .select({ row: wallets, isGone: sql<boolean>`${isDestroyed}` })
      .from(wallets)
      .where(isThere),
  );
  const rows = found.map(({ row }) => row);
  const gone = found.find(({ isGone }) => isGone)?.row ?? (await destroyedOf(context, rows))[0];
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x ?? 0, y: gone.y ?? 0 });
  return new Map(rows.map((row) => [childIndexKey(row), row]));
}

/** @throws ServiceError `derivationDestroyed`, naming a child of the range that was destroyed. */
export async function assertNoneDestroyed(
  context: WalletContext,
  masterId: string,
  range: DerivationRange,
): Promise<void> {
  const isIn = within(derivationTombstones, masterId, range);
  const [gone] = await read(context, (db) => db.select().from(derivationTombstones).where(isIn).limit(1));
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x, y: gone.y });
}

/**
 * Checks children that were stored in this transaction: one that was destroyed while its key was derived is not stored again.
 *
 * @throws ServiceError `derivationDestroyed`.
 */
export async function assertNoTombstones(
  tx: StoreTransaction,
  masterId: string,
  stored: readonly WalletRow[],
): Promise<void> {
  if (stored.length === 0) return;
  const indexes = stored.map(({ x, y }) => ({ x: x ?? 0, y: y ?? 0 }));
  const isThere = at(derivationTombstones, masterId, indexes);
  const [gone] = await tx.select().from(derivationTombstones).where(isThere).limit(1);
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x, y: gone.y });
  const isRevived = and(at(wallets, masterId, indexes), isDestroyed);
  const [revived] = await tx.select().from(wallets).where(isRevived).limit(1);
  if (revived !== undefined)
    throw serviceError('derivationDestroyed', { x: revived.x ?? 0, y: revived.y ?? 0 });
}

function at(table: IndexColumns, masterId: string, indexes: readonly ChildIndex[]): SQL | undefined {
  const [xs, ys] = [indexes.map(({ x }) => x), indexes.map(({ y }) => y)];
  const listed = sql`select * from unnest(${sql.param(xs)}::bigint[], ${sql.param(ys)}::bigint[])`;
  return and(eq(table.masterId, masterId), sql`(${table.x}, ${table.y}) in (${listed})`);
}

function within(
  table: IndexColumns,
  masterId: string,
  { accounts, change }: DerivationRange,
): SQL | undefined {
  return and(
    eq(table.masterId, masterId),
    between(table.x, accounts.start, accounts.start + accounts.count - 1),
    between(table.y, change.start, change.start + change.count - 1),
  );
}
