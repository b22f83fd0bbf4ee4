import type { SQL } from 'drizzle-orm';
import { and, between, count, eq, sql } from '../../store/drizzle.ts';
import { serviceError } from '../../base/service-error.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { derivationTombstones, wallets } from '../../store/wallet-tables.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { type DerivationRange, keyOfPlace, type ChildIndex } from './place.ts';
import { isDestroyed } from './is-destroyed.ts';
import { destroyedOf } from './reconciliation.ts';
import type { WalletRow } from './wallet-row.ts';

type PlaceColumns = Pick<typeof wallets, 'masterId' | 'x' | 'y'> | typeof derivationTombstones;

/** Returns the number of stored children in a box. */
export async function countChildren(
  context: WalletContext,
  masterId: string,
  box: DerivationRange,
): Promise<number> {
  const [found] = await read(context, (db) =>
    db
      .select({ there: count() })
      .from(wallets)
      .where(within(wallets, masterId, box)),
  );
  return found?.there ?? 0;
}

/**
 * Returns the stored children at some places, by place.
 *
 * @throws ServiceError `derivationDestroyed` for a row whose wallet is destroyed.
 */
export async function readChildren(
  context: WalletContext,
  masterId: string,
  places: readonly ChildIndex[],
): Promise<Map<string, WalletRow>> {
  const isThere = at(wallets, masterId, places);
  const rows = await read(context, (db) => db.select().from(wallets).where(isThere));
  const [gone] = await destroyedOf(context, rows);
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x ?? 0, y: gone.y ?? 0 });
  return new Map(rows.map((row) => [keyOfPlace(row), row]));
}

/** @throws ServiceError `derivationDestroyed`, naming a place of the box whose wallet was destroyed. */
export async function assertNoneDestroyed(
  context: WalletContext,
  masterId: string,
  box: DerivationRange,
): Promise<void> {
  const isIn = within(derivationTombstones, masterId, box);
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
  const places = stored.map(({ x, y }) => ({ x: x ?? 0, y: y ?? 0 }));
  const isThere = at(derivationTombstones, masterId, places);
  const [gone] = await tx.select().from(derivationTombstones).where(isThere).limit(1);
  if (gone !== undefined) throw serviceError('derivationDestroyed', { x: gone.x, y: gone.y });
  const isRevived = and(at(wallets, masterId, places), isDestroyed);
  const [revived] = await tx.select().from(wallets).where(isRevived).limit(1);
  if (revived !== undefined)
    throw serviceError('derivationDestroyed', { x: revived.x ?? 0, y: revived.y ?? 0 });
}

function at(table: PlaceColumns, masterId: string, places: readonly ChildIndex[]): SQL | undefined {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const listed = sql`select * from unnest(${sql.param(xs)}::bigint[], ${sql.param(ys)}::bigint[])`;
  return and(eq(table.masterId, masterId), sql`(${table.x}, ${table.y}) in (${listed})`);
}

function within(
  table: PlaceColumns,
  masterId: string,
  { accounts, change }: DerivationRange,
): SQL | undefined {
  return and(
    eq(table.masterId, masterId),
    between(table.x, accounts.start, accounts.start + accounts.count - 1),
    between(table.y, change.start, change.start + change.count - 1),
  );
}
