import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { expecting } from '../../store/expectation.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { createStatement, type Executes, type PlaceOf } from '../../store/statement.ts';
import { derivationTombstones } from '../../store/wallet-tables.ts';
import type { WalletRow } from './wallet-row.ts';

/** What a row says of where its key comes from. */
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
  const { rows: gone } = await deleteOwn(tx, { ids: idsOf(destroyed), accountId });
  await keepPlaces(tx, destroyed, destroyedAt);
  return new Set(gone.map(({ id }) => id));
}

/** The same by statements that can go together with others (see `Store.together`). @throws Unexpected where one is not there. */
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

/** Where a child was derived; undefined for every other wallet. */
export function placeOf({ masterId, x, y }: Origin) {
  return masterId === null || x === null || y === null ? undefined : { masterId, x, y };
}

/** Where a child was derived, in words of the signer. */
export function derivedFrom(origin: Origin) {
  const place = placeOf(origin);
  return place && { masterWalletId: place.masterId, x: place.x, y: place.y };
}
