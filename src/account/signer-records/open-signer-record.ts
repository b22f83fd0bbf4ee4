import { assertAdmitted, introduceSigner } from './admit-signer.ts';
import { checkRecord, type KnownState } from './check-record.ts';
import { addToCopy, isCopyWhole } from './copies.ts';
import { isInUse, readSigners, type TombstoneHead, isGenuine } from './known-signers.ts';
import {
  createPublisher,
  type RecordDeps,
  type RecordSigner,
  type KnownRecords,
  readKnownRecords,
  keepInFile,
  TOMBSTONE_CHANNEL,
} from './publish-record.ts';
import { nameOf, refuse } from './refusal.ts';

/** The signer of a server. Its destructions are stored before they are acknowledged. */
export type SignerRecord<S> = { readonly signer: S; readonly close: () => Promise<void> };

/**
 * Compares a started signer and its record of destroyed keys with the store and the file of heads, and updates the store's copy. A signer
 * that is new to the store is accepted if that hides no loss, which is logged once.
 *
 * @throws ServiceError `signerNotStarted`, with what to restore: the store accepts another signer; destroyed keys are missing from the
 *   record, or from the store's copy of another signer's. `storeUnavailable`.
 */
export async function openSignerRecord<S extends RecordSigner>(
  options: Omit<RecordDeps, 'publicKey' | 'signer'> & { readonly signer: S },
): Promise<SignerRecord<S>> {
  const { store, signer, headsFile, log } = options;
  const deps = { ...options, publicKey: await signer.auditPublicKey() };
  const stored = await readSigners(store);
  const inFile = await readKnownRecords(headsFile, deps.publicKey);
  const own = stored.find(isOf(deps.publicKey));
  const { isAdopted } = await signer.readTombstones(0);
  if (own === undefined) await assertAdmitted(deps, { known: stored, isAdopted });
  const { count } = await checkRecord(signer, statesOf(own, inFile.get(hex(deps.publicKey))));
  // A signer that is created with its store is not logged.
  const isFound = own === undefined && (await isInUse(store));
  if (own === undefined) await introduceSigner(deps);
  const publish = createPublisher(deps);
  await publish();
  await restoreOwnCopy(deps);
  await assertOthersWhole(deps, inFile);
  if (!isAdopted) await signer.adoptTombstones();
  if (own === undefined) {
    const level = isFound ? 'warn' : 'debug';
    const facts = { signer: nameOf(deps.publicKey), destroyedKeys: count };
    log[level](facts, 'the store now accepts this signer and its record');
  }
  const following = await followSigners(deps, { known: inFile, publish });
  return { signer: withPublishing(signer, publish), close: following.close };
}

/** Returns a signer whose destructions resolve once the store has them too. */
function withPublishing<S extends RecordSigner>(signer: S, publish: () => Promise<void>): S {
  return {
    ...signer,
    destroy: async (request) => {
      await signer.destroy(request);
      await publish();
    },
  };
}

function statesOf(
  stored: TombstoneHead | undefined,
  inFile: TombstoneHead | undefined,
): readonly KnownState[] {
  return [
    ...(stored === undefined ? [] : [{ ...stored, where: 'the store' }]),
    ...(inFile === undefined ? [] : [{ ...inFile, where: 'the file of heads' }]),
  ];
}

/**
 * Restores entries that were removed from the store's copy of this signer's record: the record itself has been compared with all known
 * states.
 */
async function restoreOwnCopy(deps: RecordDeps): Promise<void> {
  const { store, signer, publicKey, log } = deps;
  const own = (await readSigners(store)).find(isOf(publicKey));
  if (own === undefined || (await isCopyWhole(store, own))) return;
  for (let count = 0; ; ) {
    const { fingerprints } = await signer.readTombstones(count);
    if (fingerprints.length === 0) break;
    count += await addToCopy(store.db, publicKey, count, fingerprints);
  }
  if (!(await isCopyWhole(store, own)))
    throw refuse(
      'the store has other destroyed keys of this signer than its record: restore the store from its backup, or see keyslot signer adopt',
    );
  log.warn('the store had lost destroyed keys of this signer; restored them from its record');
}

/** Another server's signer may not have fewer entries in the store than it stated: its destroyed keys would sign here. */
async function assertOthersWhole({ store, publicKey }: RecordDeps, inFile: KnownRecords): Promise<void> {
  const stored = (await readSigners(store)).filter((head) => !isOf(publicKey)(head));
  for (const head of stored) if (!(await isCopyWhole(store, head))) throw lost(head.publicKey);
  for (const head of inFile.values()) {
    if (isOf(publicKey)(head)) continue;
    if ((stored.find(isOf(head.publicKey))?.count ?? 0) < head.count) throw lost(head.publicKey);
  }
}

function lost(publicKey: Uint8Array): Error {
  return refuse(
    [
      `the store has lost destroyed keys of another server's signer, ${nameOf(publicKey)}`,
      'start that server first, which writes them again, then this one; or restore the store from a newer backup',
      'if neither exists any more, see keyslot signer adopt',
    ].join('; '),
  );
}

const isOf =
  (publicKey: Uint8Array) =>
  (head: TombstoneHead): boolean =>
    Buffer.compare(head.publicKey, publicKey) === 0;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Writes the state of other signers' records to this server's file of heads as they are announced: a store that knows less at the next
 * start has lost data. When notifications resume after a loss, the store's copy of the signer's own record is updated.
 */
export async function followSigners(
  deps: RecordDeps,
  { known, publish }: { readonly known: KnownRecords; readonly publish: () => Promise<void> },
): Promise<{ readonly close: () => Promise<void> }> {
  const { store, publicKey } = deps;
  const furthest = new Map([...known].map(([key, { count }]) => [key, count]));
  const isNews = (head: TombstoneHead): boolean =>
    Buffer.compare(head.publicKey, publicKey) !== 0 &&
    head.count > (furthest.get(hex(head.publicKey)) ?? 0) &&
    isGenuine(head);
  const keepOthers = async (): Promise<void> => {
    const news = (await readSigners(store)).filter(isNews);
    if (news.length > 0) await keepInFile(deps, news);
    for (const head of news) furthest.set(hex(head.publicKey), head.count);
  };
  if (store.listen === undefined) return { close: async () => undefined };
  return store.listen(TOMBSTONE_CHANNEL, {
    onConnected: async () => {
      await publish();
      await keepOthers();
    },
    onAnnouncement: keepOthers,
  });
}
