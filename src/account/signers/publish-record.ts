import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Signer } from '../../signer/signer.ts';
import { addEntries, isSameRecord } from '../../signer/tombstones/record-chain.ts';
import { and, eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { signers } from '../../store/signer-tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { announce } from '../follow-store.ts';
import { addToCopy } from './copies.ts';
import { readSigners, WHERE } from './known-signers.ts';
import { signTombstoneHead, type TombstoneHead } from './tombstone-head.ts';
import { appendTombstoneHeads } from './tombstone-heads-file.ts';

/** Channel that notifies servers of new entries in a signer's record. */
export const TOMBSTONE_CHANNEL = 'keyslot_tombstones';

/** The signer's functions for its record. */
export type RecordSigner = Pick<
  Signer,
  'auditPublicKey' | 'signAuditHead' | 'readTombstones' | 'addTombstones' | 'adoptTombstones' | 'destroy'
>;

export type RecordDeps = {
  readonly store: Store;
  readonly signer: RecordSigner;
  /** The signer's own key. */
  readonly publicKey: Uint8Array;
  readonly headsFile: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn' | 'error'>;
};

/**
 * Updates the store's copy of the signer's record, with a signed statement of the new state, which is also written to the file of heads.
 * Calls that arrive meanwhile share the next round.
 *
 * @returns a function that resolves when the record, as it was at the call, is in the store.
 * @throws ServiceError `storeUnavailable`; any error of the signer.
 */
export function createPublisher(deps: RecordDeps): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    running = publish(deps).finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}

async function publish(deps: RecordDeps): Promise<void> {
  const { signer, publicKey, clock } = deps;
  for (;;) {
    const known = await readOwn(deps);
    const page = await signer.readTombstones(known.count);
    if (page.fingerprints.length === 0) return;
    const end = addEntries(known, page.fingerprints);
    if (end.count === page.count && !isSameRecord(end, page))
      throw unknown('has another record of this server’s signer');
    const statement = { ...end, atMs: clock.nowMs(), isAdoption: false };
    const head = await signTombstoneHead(signer, publicKey, statement);
    if (await keep(deps, known, head, page.fingerprints)) await keepInFile(deps, [head]);
  }
}

/** Returns false when the store's copy has changed in the meantime. */
function keep(
  { store }: RecordDeps,
  known: TombstoneHead,
  { publicKey, count, hash, atMs, signature }: TombstoneHead,
  entries: Buffer,
): Promise<boolean> {
  const isAsKnown = and(eq(signers.publicKey, publicKey), eq(signers.tombstones, known.count));
  return withStoreErrors(WHERE, () =>
    store.transaction(async (tx) => {
      const changed = await tx
        .update(signers)
        .set({ tombstones: count, hash, at: new Date(atMs), signature })
        .where(isAsKnown)
        .returning({ publicKey: signers.publicKey });
      if (changed.length === 0) return false;
      await addToCopy(tx, publicKey, known.count, entries);
      await announce(tx, TOMBSTONE_CHANNEL);
      return true;
    }),
  );
}

/** An entry that cannot be written there is in the store, and blocks nothing. */
export async function keepInFile(
  { headsFile, log }: Pick<RecordDeps, 'headsFile' | 'log'>,
  heads: readonly TombstoneHead[],
): Promise<void> {
  try {
    await appendTombstoneHeads(headsFile, heads);
  } catch (error) {
    log.error({ err: error }, 'the number of destroyed keys could not be written to the file of heads');
  }
}

async function readOwn({ store, publicKey }: RecordDeps): Promise<TombstoneHead> {
  const own = (await readSigners(store)).find((head) => Buffer.compare(head.publicKey, publicKey) === 0);
  if (own === undefined) throw unknown('does not know this server’s signer any more');
  return own;
}

function unknown(what: string): Error {
  return serviceError('storeUnavailable', {
    where: WHERE,
    fault: 'damaged',
    reason: `the store ${what}: start the server again`,
  });
}
