import type { Store } from '../../store/open-store.ts';
import { signers } from '../../store/signer-tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { EMPTY_RECORD } from '../../signer/tombstones/record-chain.ts';
import { hasManagedKeys, WHERE, signTombstoneHead, type TombstoneHead } from './known-signers.ts';
import type { RecordDeps } from './publish-record.ts';
import { nameOf, refuse } from './refusal.ts';

export type Admission = {
  /** The signers that the store accepts. */
  readonly known: readonly TombstoneHead[];
  /** True when the signer has belonged to a store before. */
  readonly isAdopted: boolean;
};

/**
 * @throws ServiceError `signerNotStarted` when the store accepts other signers and may not accept this one by itself. It may if this is
 *   the first, if the store dates from before stores knew signers, or if no other signer keeps anything yet. An embedded store has one.
 */
export async function assertAdmitted(
  { store, publicKey }: Pick<RecordDeps, 'store' | 'publicKey'>,
  { known, isAdopted }: Admission,
): Promise<void> {
  if (known.length === 0) return;
  if (store.kind === 'postgres' && (!isAdopted || !(await hasManagedKeys(store)))) return;
  const names = known.map((head) => nameOf(head.publicKey)).join(', ');
  const reason = [
    `the store's signer is ${names}, and that of this data directory is ${nameOf(publicKey)}`,
    'restore the directory signer/ of the data directory, whole, from its newest backup',
    'to continue with this one, stop the server and see keyslot signer adopt',
  ].join('; ');
  throw refuse(reason);
}

/** Registers a signer with the store, with an empty copy of its record. */
export async function introduceSigner(deps: RecordDeps): Promise<void> {
  const { publicKey, signer, clock } = deps;
  const statement = { ...EMPTY_RECORD, atMs: clock.nowMs(), isAdoption: false };
  const head = await signTombstoneHead(signer, publicKey, statement);
  await withStoreErrors(WHERE, () => insertSigner(deps.store.db, head));
}

/** Writes the row of a signer, with its statement. */
export async function insertSigner(
  db: Pick<Store['db'], 'insert'>,
  { publicKey, count, hash, atMs, signature }: TombstoneHead,
): Promise<void> {
  await db
    .insert(signers)
    .values({ publicKey, tombstones: count, hash, at: new Date(atMs), signature })
    .onConflictDoNothing();
}
