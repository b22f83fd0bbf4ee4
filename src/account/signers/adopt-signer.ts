import { inArray, sql } from '../../store/drizzle.ts';
import { signers, signerTombstones } from '../../store/signer-tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { insertSigner } from './admit-signer.ts';
import { checkRecord } from './check-record.ts';
import { isCopyWhole, readCopy } from './copies.ts';
import { readSigners, WHERE } from './known-signers.ts';
import { createPublisher, type RecordPlaces } from './publish-record.ts';
import { nameOf } from './refusal.ts';
import { signTombstoneHead, type TombstoneHead } from './tombstone-head.ts';
import { appendTombstoneHeads, readKnownRecords } from './tombstone-heads-file.ts';
import { EMPTY_RECORD } from '../../signer/tombstones/record-chain.ts';

export type Adoption = {
  readonly signer: string;
  /** Destroyed keys that its record has now, and how many of them came from the store. */
  readonly destroyedKeys: number;
  readonly fromStore: number;
  /** The signers that the store takes no more. */
  readonly forgotten: readonly string[];
};

/**
 * Makes a signer one of the store's, as it is: with the destroyed keys that it has, and those that the store has of any signer. In an
 * embedded store every other signer is forgotten, elsewhere those whose destroyed keys are not all there any more. What nobody knows to be
 * destroyed any more is not destroyed from then on. It may be broken off and begun again.
 */
export async function adoptSigner(places: RecordPlaces): Promise<Adoption> {
  const { store, signer, publicKey, headsFile, clock } = places;
  const { count: before } = await signer.readTombstones(0);
  const stored = await readSigners(store);
  for (const head of stored) {
    for await (const entries of readCopy(store, head.publicKey, Number.MAX_SAFE_INTEGER))
      await signer.addTombstones(entries);
  }
  const gone = await findGone(places, stored);
  const empty = await signTombstoneHead(signer, publicKey, {
    ...EMPTY_RECORD,
    atMs: clock.nowMs(),
    isAdoption: false,
  });
  await replaceRows(places, [...gone.map((head) => head.publicKey), publicKey], empty);
  await createPublisher(places)();
  const record = await checkRecord(signer, []);
  const statement = { ...record, atMs: clock.nowMs(), isAdoption: true };
  await appendTombstoneHeads(headsFile, [await signTombstoneHead(signer, publicKey, statement)]);
  await signer.adoptTombstones();
  return {
    ...{ signer: nameOf(publicKey), destroyedKeys: record.count, fromStore: record.count - before },
    forgotten: gone.map((head) => nameOf(head.publicKey)),
  };
}

/** Those of the other signers that the store does not take any more. */
async function findGone(
  { store, publicKey, headsFile }: RecordPlaces,
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

/** The signer's copy begins anew; the rows of the others go. */
function replaceRows(
  { store }: RecordPlaces,
  keys: readonly Uint8Array[],
  empty: TombstoneHead,
): Promise<void> {
  const listed = keys.map((key) => Buffer.from(key));
  return withStoreErrors(WHERE, () =>
    store.db.transaction(async (tx) => {
      await tx.execute(sql`select set_config('keyslot.adopting', 'on', true)`);
      await tx.delete(signerTombstones).where(inArray(signerTombstones.signer, listed));
      await tx.delete(signers).where(inArray(signers.publicKey, listed));
      await insertSigner(tx, empty);
    }),
  );
}
