import { asc, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { signers } from '../../store/signer-tables.ts';
import { accounts } from '../../store/tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import type { Signer } from '../../signer/signer.ts';
import type { RecordState } from '../../signer/tombstones/record-chain.ts';
import { isSignatureOf } from '../audit/audit-head.ts';

/** Subject of store failures in messages. */
export const WHERE = 'the signers of the store';

/** Returns the last statement of each signer in the store. */
export async function readSigners({ db }: Pick<Store, 'db'>): Promise<readonly TombstoneHead[]> {
  const rows = await withStoreErrors(WHERE, () => db.select().from(signers).orderBy(asc(signers.publicKey)));
  return rows.map(({ tombstones, at, ...rest }) => ({
    ...rest,
    count: tombstones,
    atMs: at.getTime(),
    isAdoption: false,
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

/** A signed statement of the state of a signer's record of destroyed keys. */
export type TombstoneHead = RecordState & {
  readonly atMs: number;
  /** True: the operator adopted the record in this state, and earlier statements no longer apply. */
  readonly isAdoption: boolean;
  /** Ed25519, 32 bytes: the signer's own key. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
};

type Statement = Omit<TombstoneHead, 'publicKey' | 'signature'>;

const DOMAIN = 'keyslot tombstones head v1\0';

/** Has a signer sign a statement of its record's state. */
export async function signTombstoneHead(
  signer: Pick<Signer, 'signAuditHead'>,
  publicKey: Uint8Array,
  { count, hash, atMs, isAdoption }: Statement,
): Promise<TombstoneHead> {
  const statement = { count, hash, atMs, isAdoption };
  return { ...statement, publicKey, signature: await signer.signAuditHead(headBytes(statement)) };
}

/** True when the key named in a statement signed it. */
export function isGenuine(head: TombstoneHead): boolean {
  return isSignatureOf(head, headBytes(head));
}

/** The bytes that are signed: a mark, and a JSON array of the count, the hash (hex), the instant (ISO 8601) and whether it was adopted. */
function headBytes({ count, hash, atMs, isAdoption }: Statement): Uint8Array {
  const members = [count, Buffer.from(hash).toString('hex'), new Date(atMs).toISOString(), isAdoption];
  return Buffer.from(DOMAIN + JSON.stringify(members));
}
