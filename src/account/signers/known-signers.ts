import { asc, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { signers } from '../../store/signer-tables.ts';
import { accounts } from '../../store/tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import type { TombstoneHead } from './tombstone-head.ts';

/** Subject of store failures in messages. */
export const WHERE = 'the signers of the store';

/** Returns the last statement of each signer in the store. */
export async function readSigners({ db }: Pick<Store, 'db'>): Promise<readonly TombstoneHead[]> {
  const rows = await withStoreErrors(WHERE, () => db.select().from(signers).orderBy(asc(signers.publicKey)));
  return rows.map(({ tombstones, at, ...rest }) => ({
    ...{ ...rest, count: tombstones, atMs: at.getTime(), isAdoption: false },
  }));
}

/** True when a store has keys that only its signer opens, or a record of destroyed ones. */
export async function hasManagedKeys({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const { rows } = await withStoreErrors(WHERE, () =>
    db.execute<{ there: boolean }>(
      sql`select exists (select from wallets) or exists (select from signer_tombstones)
        or exists (select from derivation_tombstones) as there`,
    ),
  );
  return rows[0]?.there === true;
}

/** True when a store has been used before. */
export async function isInUse({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const found = await withStoreErrors(WHERE, () => db.select({ id: accounts.id }).from(accounts).limit(1));
  return found.length > 0;
}

/**
 * True when a signer without files may create them. False if a store has keys, or if an embedded one, which has one signer, knows it: the
 * files are lost then, and new ones would hide that.
 */
export async function mayHaveNewSigner(store: Pick<Store, 'db' | 'kind'>): Promise<boolean> {
  if (await hasManagedKeys(store)) return false;
  return store.kind === 'postgres' || (await readSigners(store)).length === 0;
}
