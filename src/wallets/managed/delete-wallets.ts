import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { expecting } from '../../store/expectation.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { createStatement, type Executes, type PlaceOf } from '../../store/statement.ts';
import { derivationTombstones } from '../../store/wallet-tables.ts';
import type { WalletRow } from './wallet-row.ts';

/** The origin of a row's key. */
export type Origin = Pick<WalletRow, 'id' | 'accountId' | 'masterId' | 'x' | 'y'>;

type Ids = { readonly ids: readonly string[]; readonly accountId: string };

const deletion = (place: PlaceOf<Ids>): SQL =>
  sql`delete from wallets where id = any(${place('ids')}::text[]) and account_id = ${place('accountId')} returning id`;

const deleteOwn = createStatement<Ids, { id: string }>(deletion);

const deleteExpected = createStatement<Ids>(
  (place) => sql`
    with gone as (${deletion(place)})
    select ${expecting(sql`(select count(*) from gone) = cardinality(${place('ids')}::text[])`)}`,
);

/**
 * Deletes the rows of an account's wallets, which the signer has destroyed before, and keeps the places of children: none is derived there
 * again.
 *
 * @returns the ids of the deleted ones.
 */
export async function deleteWallets(
  tx: StoreTransaction,
  accountId: string,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<ReadonlySet<string>> {
  const { rows: gone } = await deleteOwn(tx, { ids: idsOf(destroyed), accountId });
  await keepPlaces(tx, destroyed, destroyedAt);
  return new Set(gone.map(({ id }) => id));
}

/** As `deleteWallets`, in statements that can be sent together with others (see `Store.together`). @throws Unexpected if one is missing. */
export async function forgetWalletsExpected(
  db: Executes,
  accountId: string,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<void> {
  await Promise.all([
    deleteExpected(db, { ids: idsOf(destroyed), accountId }),
    keepPlaces(db, destroyed, destroyedAt),
  ]);
}

async function keepPlaces(db: Executes, destroyed: readonly Origin[], destroyedAt: Date): Promise<void> {
  const { masterId, x, y } = derivationTombstones;
  const places = destroyed.flatMap((row) => placeOf(row) ?? []).map((place) => ({ ...place, destroyedAt }));
  await insertNewRows(db, derivationTombstones, places, { target: [masterId, x, y], key: masterId });
}

function idsOf(origins: readonly Origin[]): readonly string[] {
  return origins.map(({ id }) => id);
}

/** Returns the place a child was derived at; undefined for every other wallet. */
export function placeOf({ masterId, x, y }: Origin) {
  return masterId === null || x === null || y === null ? undefined : { masterId, x, y };
}

/** Returns the place a child was derived at, in the signer's terms. */
export function derivedFrom(origin: Origin) {
  const place = placeOf(origin);
  return place && { masterWalletId: place.masterId, x: place.x, y: place.y };
}
