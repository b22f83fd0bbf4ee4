import { asc, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { signers } from '../../store/signer-tables.ts';
import { accounts } from '../../store/tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import type { TombstoneHead } from './tombstone-head.ts';

/** What a failure of the store is told of. */
export const WHERE = 'the signers of the store';

/** What the store has of its signers: the last statement of each. */
export async function readSigners({ db }: Pick<Store, 'db'>): Promise<readonly TombstoneHead[]> {
  const rows = await withStoreErrors(WHERE, () => db.select().from(signers).orderBy(asc(signers.publicKey)));
  return rows.map(({ tombstones, at, ...rest }) => ({
    ...{ ...rest, count: tombstones, atMs: at.getTime(), isAdoption: false },
  }));
}

/** Whether a store has keys that only its signer opens, or knows of some that were destroyed. */
export async function hasManagedKeys({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const { rows } = await withStoreErrors(WHERE, () =>
    db.execute<{ there: boolean }>(
      sql`select exists (select from wallets) or exists (select from signer_tombstones)
        or exists (select from derivation_tombstones) as there`,
    ),
  );
  return rows[0]?.there === true;
}

/** Whether somebody has worked with a store before. */
export async function isInUse({ db }: Pick<Store, 'db'>): Promise<boolean> {
  const found = await withStoreErrors(WHERE, () => db.select({ id: accounts.id }).from(accounts).limit(1));
  return found.length > 0;
}

/**
 * Whether a signer may make its files where it has none. Not where a store has keys, nor where an embedded one, which has one signer,
 * knows it: they are lost then, and new ones in their place would hide that.
 */
export async function mayHaveNewSigner(store: Pick<Store, 'db' | 'kind'>): Promise<boolean> {
  if (await hasManagedKeys(store)) return false;
  return store.kind === 'postgres' || (await readSigners(store)).length === 0;
}
