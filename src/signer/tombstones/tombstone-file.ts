import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { serviceError } from '../../service-error.ts';
import { keyFailure } from '../hsm/key-failure.ts';
import { syncDirectory } from '../files/write-durably.ts';
import { FINGERPRINT_BYTES } from './fingerprint-set.ts';

const MAGIC = Buffer.from('KSTOMB1\n');
/** The fingerprint and its CRC-32. */
const RECORD_BYTES = FINGERPRINT_BYTES + 4;
const READ_RECORDS = 4096;
const PAGE_BYTES = 4096;

export type TombstoneFile = {
  /** Resolves when all of them are on the disk. Those of several calls go there together. */
  readonly append: (fingerprints: readonly Buffer[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type TombstoneFileOptions = {
  readonly path: string;
  /** Whether the file may be made. Elsewhere a missing one is a loss that would revive keys. */
  readonly mayCreate: boolean;
  /** Told each fingerprint that the file has. */
  readonly onFound: (fingerprint: Buffer) => void;
};

/**
 * A file of fingerprints that only grows. What a crash left half written at its end was never acknowledged and is cut off;
 * damage before the end is refused.
 *
 * @throws ServiceError `signerNotStarted` if it is lost or damaged.
 */
export async function openTombstoneFile({
  path,
  mayCreate,
  onFound,
}: TombstoneFileOptions): Promise<TombstoneFile> {
  const file = await open(path, constants.O_RDWR | (mayCreate ? constants.O_CREAT : 0), 0o600).catch(
    (cause: unknown) => {
      throw refuse(
        `${path} cannot be opened (${cause instanceof Error ? cause.message : cause}); it tells which keys are destroyed`,
      );
    },
  );
  try {
    let end = await readAll(file, path, onFound);
    if ((await file.stat()).size > end) await file.truncate(end);
    if (end === 0) end += (await file.write(MAGIC, 0, MAGIC.length, 0)).bytesWritten;
    await file.sync();
    await syncDirectory(dirname(path));
    return createAppender(file, end);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The length of what is whole. */
async function readAll(
  file: FileHandle,
  path: string,
  onFound: (fingerprint: Buffer) => void,
): Promise<number> {
  const { size } = await file.stat();
  const head = Buffer.alloc(MAGIC.length);
  await file.read(head, 0, head.length, 0);
  if (size < MAGIC.length && MAGIC.subarray(0, size).equals(head.subarray(0, size))) return 0;
  if (!head.equals(MAGIC)) throw refuse(`${path} is damaged at its head: restore it from its backup`);
  const chunk = Buffer.alloc(READ_RECORDS * RECORD_BYTES);
  let torn: number | undefined;
  for (let at = MAGIC.length; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    const records = Math.floor(bytesRead / RECORD_BYTES);
    for (let index = 0; index < records; index += 1) {
      const record = chunk.subarray(index * RECORD_BYTES, (index + 1) * RECORD_BYTES);
      const recordAt = at + index * RECORD_BYTES;
      if (!isWhole(record)) torn ??= recordAt;
      else if (torn !== undefined)
        throw refuse(`${path} is damaged at byte ${torn}: restore it from its backup`);
      else onFound(Buffer.from(record.subarray(0, FINGERPRINT_BYTES)));
    }
    at += records * RECORD_BYTES;
    if (records < READ_RECORDS) return torn ?? at;
  }
}

type Waiting = { readonly bytes: Buffer; readonly done: () => void; readonly failed: (error: Error) => void };

function createAppender(file: FileHandle, from: number): TombstoneFile {
  let end = from;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const bytes = Buffer.concat(batch.map((entry) => entry.bytes));
      try {
        await writeAt(file, bytes, end);
        end += bytes.length;
        for (const { done } of batch) done();
      } catch (cause) {
        await file.truncate(end).catch(() => undefined);
        for (const { failed } of batch) failed(keyFailure('the tombstones cannot be written', cause));
      }
    }
    writing = undefined;
  };
  return {
    append: (fingerprints) =>
      new Promise((done, failed) => {
        waiting.push({ bytes: Buffer.concat(fingerprints.map(toRecord)), done, failed });
        writing ??= writeWaiting();
      }),
    close: async () => {
      await writing;
      await file.close();
    },
  };
}

/** Page by page: a crash then leaves nothing whole behind something torn, which would look like damage. */
async function writeAt(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const room = PAGE_BYTES - ((at + written) % PAGE_BYTES);
    const length = Math.min(room, bytes.length - written);
    written += (await file.write(bytes, written, length, at + written)).bytesWritten;
    await file.datasync();
  }
}

function toRecord(fingerprint: Buffer): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  fingerprint.copy(record);
  record.writeUInt32LE(crc32(fingerprint), FINGERPRINT_BYTES);
  return record;
}

function isWhole(record: Buffer): boolean {
  return crc32(record.subarray(0, FINGERPRINT_BYTES)) === record.readUInt32LE(FINGERPRINT_BYTES);
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });
