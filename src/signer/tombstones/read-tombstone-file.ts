import { FINGERPRINT_BYTES } from './fingerprint-set.ts';
import { serviceError } from '../../base/service-error.ts';
import { readIfThere } from '../files/read-if-there.ts';
import { writeDurably } from '../files/write-durably.ts';
import { decodeEntries, ENTRY_BYTES, encodeEntries } from './entries.ts';
import { ENTRIES_AT, encodeBeginning, type FileHead, MAGIC, readHead } from './file-head.ts';
import { addEntries, EMPTY_RECORD, isSameRecord, type RecordState } from './record-chain.ts';

export type ReadOptions = {
  readonly path: string;
  /** True: the file may be created. Otherwise a missing one is a loss that would revive keys. */
  readonly mayCreate: boolean;
  /** True: acknowledged entries may be missing, and intact ones are accepted. */
  readonly acceptsLoss: boolean;
  /** Called with a description, for the log, of unacknowledged bytes that a crash left at the end. */
  readonly onCut: (what: string) => void;
};

/** A file of tombstones as it is on disk now, with torn ends repaired. */
export type TombstonesRead = { readonly head: FileHead; readonly fingerprints: Buffer };

/** The previous format: entries after the mark, and no count of them. */
const OLD_MAGIC = Buffer.from('KSTOMB1\n');
const EMPTY_HEAD: FileHead = { ...EMPTY_RECORD, isAdopted: false, generation: 1 };
const RESTORE =
  'restore the directory of the signer, whole, from its newest backup; if what is missing is lost for good, see keyslot signer adopt';

/**
 * Reads a file of tombstones, and creates it if allowed. A file in the previous format is converted.
 *
 * @throws ServiceError `signerNotStarted` if it is lost or damaged, or lacks acknowledged entries.
 */
export async function readTombstoneFile(options: ReadOptions): Promise<TombstonesRead> {
  const { path, mayCreate, acceptsLoss } = options;
  const bytes = await readIfThere(path);
  const isUnfinished =
    bytes !== undefined &&
    OLD_MAGIC.subarray(0, bytes.length).equals(bytes) &&
    bytes.length < OLD_MAGIC.length;
  if (bytes === undefined || isUnfinished) {
    if (!mayCreate && !acceptsLoss)
      throw refuse(
        `${path}, which records the destroyed keys, is ${bytes === undefined ? 'missing' : 'truncated'}: ${RESTORE}`,
      );
    return write(path, EMPTY_HEAD, Buffer.alloc(0));
  }
  const mark = bytes.subarray(0, MAGIC.length);
  if (mark.equals(OLD_MAGIC)) {
    const fingerprints = readEntries(bytes, OLD_MAGIC.length, options);
    return write(path, { ...EMPTY_HEAD, ...addEntries(EMPTY_RECORD, fingerprints) }, fingerprints);
  }
  const head = mark.equals(MAGIC) ? readHead(bytes.subarray(0, ENTRIES_AT)) : undefined;
  if (head === undefined) throw refuse(`${path} is damaged at its head: ${RESTORE}`);
  const found = readEntries(bytes, ENTRIES_AT, options);
  const acknowledgedBytes = head.count * FINGERPRINT_BYTES;
  const acknowledged = addEntries(EMPTY_RECORD, found.subarray(0, acknowledgedBytes));
  const isComplete = isSameRecord(acknowledged, head);
  if (!isComplete && !acceptsLoss) throw incomplete(path, head, acknowledged);
  if (isComplete && bytes.length === ENTRIES_AT + head.count * ENTRY_BYTES)
    return { head, fingerprints: found };
  // Entries beyond those of its head were written by a process that could not acknowledge them any more.
  const record = addEntries(acknowledged, found.subarray(acknowledgedBytes));
  return write(path, { ...head, ...record, generation: head.generation + 1 }, found);
}

/** Returns the fingerprints of intact entries. */
function readEntries(bytes: Buffer, from: number, { path, onCut }: ReadOptions): Buffer {
  const { fingerprints, tornAt, isDamaged } = decodeEntries(bytes.subarray(from));
  if (isDamaged) throw refuse(`${path} is damaged at byte ${from + (tornAt ?? 0)}: ${RESTORE}`);
  if (tornAt !== undefined) {
    const [at, length] = [from + tornAt, bytes.length - from - tornAt];
    onCut(`${path}: the last ${length} bytes, from byte ${at}, are no entry`);
  }
  return fingerprints;
}

function incomplete(path: string, head: FileHead, { count }: RecordState): Error {
  const what =
    count < head.count
      ? `has ${count} of the ${head.count} destroyed keys that were acknowledged`
      : `has other destroyed keys than the ${head.count} that were acknowledged`;
  return refuse(`${path} ${what}: ${RESTORE}`);
}

async function write(path: string, head: FileHead, fingerprints: Buffer): Promise<TombstonesRead> {
  await writeDurably(path, Buffer.concat([encodeBeginning(head), encodeEntries(fingerprints)]));
  return { head, fingerprints };
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });
