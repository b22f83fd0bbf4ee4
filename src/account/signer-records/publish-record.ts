import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Signer } from '../../signer/signer.ts';
import { addEntries, isSameRecord } from '../../signer/tombstones/record-chain.ts';
import { and, eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { signers } from '../../store/signer-tables.ts';
import { withStoreErrors } from '../../store/store-errors.ts';
import { announce } from '../../store/follow-store.ts';
import { addToCopy } from './copies.ts';
import { readSigners, WHERE, signTombstoneHead, type TombstoneHead, isGenuine } from './known-signers.ts';
import { appendLines, bytesOf, readLines, TOMBSTONE_LINE } from '../audit/heads-file.ts';

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

/** Appends statements to the file of heads. A failure is only logged: the entry is in the store. */
export async function keepInFile(
  { headsFile, log }: Pick<RecordDeps, 'headsFile' | 'log'>,
  heads: readonly TombstoneHead[],
): Promise<void> {
  try {
    await appendTombstoneHeads(headsFile, heads);
  } catch (error) {
    log.error({ err: error }, 'cannot write the number of destroyed keys to the file of heads');
  }
}

async function readOwn({ store, publicKey }: RecordDeps): Promise<TombstoneHead> {
  const own = (await readSigners(store)).find((head) => Buffer.compare(head.publicKey, publicKey) === 0);
  if (own === undefined) throw unknown('no longer knows this server’s signer');
  return own;
}

function unknown(what: string): Error {
  return serviceError('storeUnavailable', {
    where: WHERE,
    fault: 'damaged',
    reason: `the store ${what}: restart the server`,
  });
}

/** The latest statement of each signer's record, by its key in hex. */
export type KnownRecords = ReadonlyMap<string, TombstoneHead>;

/** Appends statements to the file of heads, one line of JSON each, and syncs it to disk. */
export async function appendTombstoneHeads(path: string, heads: readonly TombstoneHead[]): Promise<void> {
  if (heads.length > 0) await appendLines(path, heads.map(print).join(''));
}

/**
 * Returns the statements of a file of heads about records of destroyed keys, since the signer with `ownKey` was last adopted. Ignores
 * unsigned lines; empty for a file that is missing or write-only.
 */
export async function readKnownRecords(path: string, ownKey: Uint8Array): Promise<KnownRecords> {
  const furthest = await scan(path, ownKey, () => true);
  // Verifying the last lines is enough, unless one of them is forged.
  return [...furthest.values()].every(isGenuine) ? furthest : scan(path, ownKey, isGenuine);
}

async function scan(
  path: string,
  ownKey: Uint8Array,
  isTaken: (head: TombstoneHead) => boolean,
): Promise<Map<string, TombstoneHead>> {
  const furthest = new Map<string, TombstoneHead>();
  for await (const line of linesOf(path)) {
    const head = line.startsWith(TOMBSTONE_LINE) ? parse(line) : undefined;
    if (head === undefined || !isTaken(head)) continue;
    const key = hex(head.publicKey);
    if (head.isAdoption && key === hex(ownKey) && isGenuine(head)) furthest.clear();
    if (head.count >= (furthest.get(key)?.count ?? 0)) furthest.set(key, head);
  }
  return furthest;
}

/** A file that is write-only here has none. */
async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(path);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EACCES') throw error;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function print({ count, hash, atMs, isAdoption, publicKey, signature }: TombstoneHead): string {
  const adopted = isAdoption ? { adopted: true } : {};
  const members = { tombstones: count, hash: hex(hash), at: new Date(atMs).toISOString(), ...adopted };
  return `${JSON.stringify({ ...members, public_key: hex(publicKey), signature: hex(signature) })}\n`;
}

function parse(line: string): TombstoneHead | undefined {
  try {
    const { tombstones, hash, at, adopted, public_key, signature } = JSON.parse(line) as Record<
      string,
      unknown
    >;
    const head = {
      count: Number(tombstones),
      hash: bytesOf(hash, 32),
      atMs: Date.parse(String(at)),
      isAdoption: adopted === true,
      publicKey: bytesOf(public_key, 32),
      signature: bytesOf(signature, 64),
    };
    return Number.isSafeInteger(head.count) && Number.isFinite(head.atMs) ? head : undefined;
  } catch {
    return undefined;
  }
}
