import type { SQL } from 'drizzle-orm';
import { sql } from '../../store/drizzle.ts';
import { expecting } from '../../store/expectation.ts';
import { insertNewRows } from '../../store/insert-rows.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { createStatement, type Executes, type PlaceholderOf } from '../../store/statement.ts';
import { derivationTombstones } from '../../store/wallet-tables.ts';
import type { WalletRow } from './wallet-row.ts';

/** The origin of a row's key. */
export type Origin = Pick<WalletRow, 'id' | 'accountId' | 'masterId' | 'x' | 'y'>;

type Ids = { readonly ids: readonly string[]; readonly accountId: string };

const deletion = (param: PlaceholderOf<Ids>): SQL =>
  sql`delete from wallets where id = any(${param('ids')}::text[]) and account_id = ${param('accountId')} returning id`;

const deleteOwn = createStatement<Ids, { id: string }>(deletion);

const deleteExpected = createStatement<Ids>(
  (param) => sql`
    with gone as (${deletion(param)})
    select ${expecting(sql`(select count(*) from gone) = cardinality(${param('ids')}::text[])`)}`,
);

/**
 * Deletes the rows of an account's wallets, which the signer has destroyed before, and keeps a tombstone for each child: it is never
 * derived again.
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
  await insertTombstones(tx, destroyed, destroyedAt);
  return new Set(gone.map(({ id }) => id));
}

/** As `deleteWallets`, in statements that can be sent together with others (see `Store.together`). @throws Unexpected if one is missing. */
export async function deleteWalletsExpected(
  db: Executes,
  accountId: string,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<void> {
  await Promise.all([
    deleteExpected(db, { ids: idsOf(destroyed), accountId }),
    insertTombstones(db, destroyed, destroyedAt),
  ]);
}

async function insertTombstones(
  db: Executes,
  destroyed: readonly Origin[],
  destroyedAt: Date,
): Promise<void> {
  const { masterId, x, y } = derivationTombstones;
  const rows = destroyed.flatMap((row) => derivationOf(row) ?? []).map((row) => ({ ...row, destroyedAt }));
  await insertNewRows(db, derivationTombstones, rows, { target: [masterId, x, y], key: masterId });
}

function idsOf(origins: readonly Origin[]): readonly string[] {
  return origins.map(({ id }) => id);
}

/** Returns the master and the index of a child; undefined for every other wallet. */
export function derivationOf({ masterId, x, y }: Origin) {
  return masterId === null || x === null || y === null ? undefined : { masterId, x, y };
}

/** As `derivationOf`, in the signer's terms. */
export function derivedFrom(origin: Origin) {
  const found = derivationOf(origin);
  return found && { masterWalletId: found.masterId, x: found.x, y: found.y };
}
