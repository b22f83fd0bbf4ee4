import { inArray, sql } from '../../store/drizzle.ts';
import { signers, signerTombstones } from '../../store/signer-tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { insertSigner } from './admit-signer.ts';
import { checkRecord } from './check-record.ts';
import { isCopyWhole, readCopy } from './copies.ts';
import { readSigners, WHERE, signTombstoneHead, type TombstoneHead } from './known-signers.ts';
import {
  createPublisher,
  type RecordDeps,
  appendTombstoneHeads,
  readKnownRecords,
} from './publish-record.ts';
import { nameOf } from './refusal.ts';
import { EMPTY_RECORD } from '../../signer/tombstones/record-chain.ts';

export type Adoption = {
  readonly signer: string;
  /** Number of destroyed keys in its record now, and of those that came from the store. */
  readonly destroyedKeys: number;
  readonly fromStore: number;
  /** The signers that the store no longer accepts. */
  readonly forgotten: readonly string[];
};

/**
 * Adopts a signer as it is: with its own destroyed keys and those that the store has of any signer. In an embedded store every other signer
 * is removed, elsewhere those with destroyed keys that are no longer all present. Keys that no record lists as destroyed no longer count as
 * destroyed. It can be interrupted and run again.
 */
export async function adoptSigner(deps: RecordDeps): Promise<Adoption> {
  const { store, signer, publicKey, headsFile, clock } = deps;
  const { count: before } = await signer.readTombstones(0);
  const stored = await readSigners(store);
  for (const head of stored) {
    for await (const entries of readCopy(store, head.publicKey, Number.MAX_SAFE_INTEGER))
      await signer.addTombstones(entries);
  }
  const gone = await findGone(deps, stored);
  const empty = await signTombstoneHead(signer, publicKey, {
    ...EMPTY_RECORD,
    atMs: clock.nowMs(),
    isAdoption: false,
  });
  await replaceRows(deps, [...gone.map((head) => head.publicKey), publicKey], empty);
  await createPublisher(deps)();
  const record = await checkRecord(signer, []);
  const statement = { ...record, atMs: clock.nowMs(), isAdoption: true };
  await appendTombstoneHeads(headsFile, [await signTombstoneHead(signer, publicKey, statement)]);
  await signer.adoptTombstones();
  return {
    signer: nameOf(publicKey),
    destroyedKeys: record.count,
    fromStore: record.count - before,
    forgotten: gone.map((head) => nameOf(head.publicKey)),
  };
}

/** Returns the other signers that the store no longer accepts. */
async function findGone(
  { store, publicKey, headsFile }: RecordDeps,
  stored: readonly TombstoneHead[],
): Promise<readonly TombstoneHead[]> {
  const inFile = await readKnownRecords(headsFile, publicKey);
  const gone: TombstoneHead[] = [];
  for (const head of stored) {
    if (Buffer.compare(head.publicKey, publicKey) === 0) continue;
    const known = inFile.get(Buffer.from(head.publicKey).toString('hex'))?.count ?? 0;
    const isWhole = store.kind === 'postgres' && known <= head.count && (await isCopyWhole(store, head));
    if (!isWhole) gone.push(head);
  }
  return gone;
}

/** Starts the signer's copy again; deletes the rows of the others. */
function replaceRows(
  { store }: RecordDeps,
  keys: readonly Uint8Array[],
  empty: TombstoneHead,
): Promise<void> {
  const listed = keys.map((key) => Buffer.from(key));
  return withStoreErrors(WHERE, () =>
    store.transaction(async (tx) => {
      await tx.execute(sql`select set_config('keyslot.adopting', 'on', true)`);
      await tx.delete(signerTombstones).where(inArray(signerTombstones.signer, listed));
      await tx.delete(signers).where(inArray(signers.publicKey, listed));
      await insertSigner(tx, empty);
    }),
  );
}
