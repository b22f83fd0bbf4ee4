import { crc32 } from 'node:zlib';
import { FINGERPRINT_BYTES } from './fingerprint-set.ts';
import { serviceError } from '../../core/service-error.ts';
import { writeDurably, readIfThere } from '../files/write-durably.ts';
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
  'restore the directory of the signer, whole, from its newest backup; if the missing entries are lost for good, see keyslot signer adopt';

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
  if (isComplete && bytes.length === ENTRIES_AT + head.count * DISK_ENTRY_BYTES)
    return { head, fingerprints: found };
  // A process wrote the entries beyond its head, but could no longer acknowledge them.
  const record = addEntries(acknowledged, found.subarray(acknowledgedBytes));
  return write(path, { ...head, ...record, generation: head.generation + 1 }, found);
}

/** Returns the fingerprints of intact entries. */
function readEntries(bytes: Buffer, from: number, { path, onCut }: ReadOptions): Buffer {
  const { fingerprints, tornAt, isDamaged } = decodeEntries(bytes.subarray(from));
  if (isDamaged) throw refuse(`${path} is damaged at byte ${from + (tornAt ?? 0)}: ${RESTORE}`);
  if (tornAt !== undefined) {
    const [at, length] = [from + tornAt, bytes.length - from - tornAt];
    onCut(`${path}: the last ${length} bytes, from byte ${at}, are not an entry`);
  }
  return fingerprints;
}

function incomplete(path: string, head: FileHead, { count }: RecordState): Error {
  const what =
    count < head.count
      ? `has ${count} of the ${head.count} destroyed keys that were acknowledged`
      : `does not match the ${head.count} destroyed keys that were acknowledged`;
  return refuse(`${path} ${what}: ${RESTORE}`);
}

async function write(path: string, head: FileHead, fingerprints: Buffer): Promise<TombstonesRead> {
  await writeDurably(path, Buffer.concat([encodeBeginning(head), encodeEntries(fingerprints)]));
  return { head, fingerprints };
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });

/** Size of an entry on disk: the fingerprint and its CRC-32. */
export const DISK_ENTRY_BYTES = FINGERPRINT_BYTES + 4;

/** Encodes concatenated fingerprints as entries of a file. */
export function encodeEntries(fingerprints: Buffer): Buffer {
  const count = fingerprints.length / FINGERPRINT_BYTES;
  const bytes = Buffer.alloc(count * DISK_ENTRY_BYTES);
  for (let index = 0; index < count; index += 1) {
    const fingerprint = fingerprints.subarray(index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES);
    const end = fingerprint.copy(bytes, index * DISK_ENTRY_BYTES) + index * DISK_ENTRY_BYTES;
    bytes.writeUInt32LE(crc32(fingerprint), end);
  }
  return bytes;
}

/**
 * Decodes the fingerprints of intact entries, up to the first broken one.
 *
 * @returns also the position of the broken one, if any, and whether an intact one follows it: then a crash has not torn it.
 */
export function decodeEntries(bytes: Buffer): {
  readonly fingerprints: Buffer;
  readonly tornAt: number | undefined;
  readonly isDamaged: boolean;
} {
  const count = Math.floor(bytes.length / DISK_ENTRY_BYTES);
  const fingerprints = Buffer.alloc(count * FINGERPRINT_BYTES);
  let whole = 0;
  let tornAt: number | undefined;
  let isDamaged = false;
  for (let index = 0; index < count; index += 1) {
    const entry = bytes.subarray(index * DISK_ENTRY_BYTES, (index + 1) * DISK_ENTRY_BYTES);
    if (!isWhole(entry)) tornAt ??= index * DISK_ENTRY_BYTES;
    else if (tornAt !== undefined) isDamaged = true;
    else whole += entry.copy(fingerprints, whole, 0, FINGERPRINT_BYTES);
  }
  const rest = count * DISK_ENTRY_BYTES;
  if (rest < bytes.length) tornAt ??= rest;
  return { fingerprints: fingerprints.subarray(0, whole), tornAt, isDamaged };
}

function isWhole(entry: Buffer): boolean {
  return crc32(entry.subarray(0, FINGERPRINT_BYTES)) === entry.readUInt32LE(FINGERPRINT_BYTES);
}

/** The head of a file of tombstones: it covers at least the acknowledged entries. */
export type FileHead = RecordState & {
  /** True when the store knows the record. */
  readonly isAdopted: boolean;
  /** Counts the written heads: of two, the later one counts. */
  readonly generation: number;
};

const MAGIC = Buffer.from('KSTOMB2\n');
/** Offset of the first entry. */
export const ENTRIES_AT = 4096;

/** Written alternately, each in a sector of its own: a crash that tears one leaves the previous one. */
const SLOTS = [1024, 2048] as const;
const COUNT_AT = 8;
const FLAGS_AT = 16;
const HASH_AT = 20;
const CRC_AT = 52;
const SLOT_BYTES = 56;

/** Encodes a head, and returns the offset to write it to. */
export function encodeHead(head: FileHead): { readonly at: number; readonly bytes: Buffer } {
  const bytes = Buffer.alloc(SLOT_BYTES);
  bytes.writeBigUInt64LE(BigInt(head.generation), 0);
  bytes.writeBigUInt64LE(BigInt(head.count), COUNT_AT);
  bytes.writeUInt32LE(head.isAdopted ? 1 : 0, FLAGS_AT);
  bytes.set(head.hash, HASH_AT);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return { at: SLOTS[head.generation % 2 === 0 ? 0 : 1], bytes };
}

/** Encodes the beginning of a file, up to its entries. */
function encodeBeginning(head: FileHead): Buffer {
  const page = Buffer.alloc(ENTRIES_AT);
  const { at, bytes } = encodeHead(head);
  MAGIC.copy(page);
  bytes.copy(page, at);
  return page;
}

/** Returns the valid head; undefined if neither is intact. @param page the file's first 4,096 bytes. */
function readHead(page: Buffer): FileHead | undefined {
  return SLOTS.flatMap((at) => decode(page.subarray(at, at + SLOT_BYTES)) ?? [])
    .sort((a, b) => a.generation - b.generation)
    .at(-1);
}

function decode(bytes: Buffer): FileHead | undefined {
  if (bytes.length < SLOT_BYTES || crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32LE(CRC_AT))
    return undefined;
  return {
    generation: Number(bytes.readBigUInt64LE(0)),
    count: Number(bytes.readBigUInt64LE(COUNT_AT)),
    isAdopted: bytes.readUInt32LE(FLAGS_AT) === 1,
    hash: Buffer.from(bytes.subarray(HASH_AT, CRC_AT)),
  };
}
