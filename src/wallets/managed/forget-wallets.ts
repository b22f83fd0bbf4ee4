import { sql } from '../../store/drizzle.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { createStatement } from '../../store/statement.ts';
import { derivationTombstones } from '../../store/wallet-tables.ts';
import type { WalletRow } from './wallet-row.ts';

/** What a row says of where its key comes from. */
export type Origin = Pick<WalletRow, 'id' | 'accountId' | 'masterId' | 'x' | 'y'>;

const deleteOwn = createStatement<{ ids: readonly string[]; accountId: string }, { id: string }>(
  (place) =>
    sql`delete from wallets where id = any(${place('ids')}::text[]) and account_id = ${place('accountId')} returning id`,
);

/**
 * Deletes the rows of wallets of an account, which the signer has destroyed before, and keeps the places of children: none is derived
 * again there.
 *
 * @returns the ids of those that were there.
 */
export async function forgetWallets(
  tx: StoreTransaction,
  accountId: string,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<ReadonlySet<string>> {
  const ids = destroyed.map(({ id }) => id);
  const { rows: gone } = await deleteOwn(tx, { ids, accountId });
  const { masterId, x, y } = derivationTombstones;
  const places = destroyed.flatMap((row) => placeOf(row) ?? []).map((place) => ({ ...place, destroyedAt }));
  await insertNewRows(tx, derivationTombstones, places, { target: [masterId, x, y], key: masterId });
  return new Set(gone.map(({ id }) => id));
}

/** Where a child was derived; undefined for every other wallet. */
export function placeOf({ masterId, x, y }: Origin) {
  return masterId === null || x === null || y === null ? undefined : { masterId, x, y };
}

/** Where a child was derived, in words of the signer. */
export function derivedFrom(origin: Origin) {
  const place = placeOf(origin);
  return place && { masterWalletId: place.masterId, x: place.x, y: place.y };
}
