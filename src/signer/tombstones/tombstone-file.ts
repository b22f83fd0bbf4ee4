import { type FileHandle, open } from 'node:fs/promises';
import { keyFailure } from '../hsm/key-failure.ts';
import { decodeEntries, ENTRY_BYTES, encodeEntries } from './entries.ts';
import { ENTRIES_AT, encodeHead, type FileHead } from './file-head.ts';
import { FINGERPRINT_BYTES } from './fingerprint-set.ts';
import { type ReadOptions, readTombstoneFile } from './read-tombstone-file.ts';
import { addEntries, type RecordState } from './record-chain.ts';

const PAGE_BYTES = 4096;

export type TombstoneFile = {
  /** Resolves when all of them, and the head with their number, are on disk. Entries of several calls are written together. */
  readonly append: (fingerprints: readonly Buffer[]) => Promise<void>;
  /** Returns concatenated fingerprints in order, up to `max`. */
  readonly read: (from: number, max: number) => Promise<Buffer>;
  /** The acknowledged state. */
  readonly state: () => RecordState;
  readonly isAdopted: () => boolean;
  /** Records that the store knows the record. */
  readonly adopt: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type TombstoneFileOptions = ReadOptions & {
  /** Called with each fingerprint in the file. */
  readonly onFound: (fingerprint: Buffer) => void;
};

/**
 * Opens an append-only file of fingerprints behind a head with the number of acknowledged entries and the hash of all. An entry is on disk
 * first, then the head, then it is acknowledged: entries after a crash that no head covers were never acknowledged; missing ones that a
 * head covers are lost.
 *
 * @throws ServiceError `signerNotStarted` if the file is lost or damaged, or lacks acknowledged entries.
 */
export async function openTombstoneFile(options: TombstoneFileOptions): Promise<TombstoneFile> {
  const { head, fingerprints } = await readTombstoneFile(options);
  for (let at = 0; at < fingerprints.length; at += FINGERPRINT_BYTES)
    options.onFound(Buffer.from(fingerprints.subarray(at, at + FINGERPRINT_BYTES)));
  const file = await open(options.path, 'r+');
  const writer = new EntryWriter(file, head);
  return {
    append: (added) => writer.append(Buffer.concat(added)),
    read: (from, max) => readEntries(file, from, Math.min(max, writer.head.count - from)),
    state: () => writer.head,
    isAdopted: () => writer.head.isAdopted,
    adopt: () => writer.adopt(),
    close: async () => {
      await writer.idle();
      await file.close();
    },
  };
}

type Waiting = {
  readonly fingerprints: Buffer;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
};

/** Writes entries and heads, one batch after the other. */
class EntryWriter {
  readonly #file: FileHandle;
  #head: FileHead;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isAdopted: boolean;
  /** The last head may or may not be on disk: nothing more is written, and the next start reads which it is. */
  #isBroken = false;

  constructor(file: FileHandle, head: FileHead) {
    this.#file = file;
    this.#head = head;
    this.#isAdopted = head.isAdopted;
  }

  get head(): FileHead {
    return this.#head;
  }

  append(fingerprints: Buffer): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ fingerprints, done, failed });
      this.#writing ??= this.#writeWaiting();
    });
  }

  adopt(): Promise<void> {
    this.#isAdopted = true;
    return this.append(Buffer.alloc(0));
  }

  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(Buffer.concat(batch.map(({ fingerprints }) => fingerprints)));
        for (const { done } of batch) done();
      } catch (cause) {
        for (const { failed } of batch)
          failed(keyFailure('the file of destroyed keys cannot be written', cause));
      }
    }
    this.#writing = undefined;
  }

  async #write(fingerprints: Buffer): Promise<void> {
    if (this.#isBroken) throw new Error('an earlier write failed; restart the signer');
    const end = ENTRIES_AT + this.#head.count * ENTRY_BYTES;
    try {
      await writeAt(this.#file, encodeEntries(fingerprints), end);
    } catch (error) {
      await this.#file.truncate(end).catch(() => undefined);
      throw error;
    }
    const next: FileHead = {
      ...addEntries(this.#head, fingerprints),
      isAdopted: this.#isAdopted,
      generation: this.#head.generation + 1,
    };
    const { at, bytes } = encodeHead(next);
    this.#isBroken = true;
    await writeAt(this.#file, bytes, at);
    this.#isBroken = false;
    this.#head = next;
  }
}

async function readEntries(file: FileHandle, from: number, count: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, count) * ENTRY_BYTES);
  for (let length = 0; length < bytes.length; ) {
    const at = ENTRIES_AT + from * ENTRY_BYTES + length;
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, at);
    if (bytesRead === 0) throw keyFailure('the file of destroyed keys was truncated while the signer ran');
    length += bytesRead;
  }
  const { fingerprints, tornAt } = decodeEntries(bytes);
  if (tornAt !== undefined) throw keyFailure('the file of destroyed keys was changed while the signer ran');
  return fingerprints;
}

/** Writes page by page: a crash then leaves nothing intact after something torn, which would look like damage. */
async function writeAt(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const room = PAGE_BYTES - ((at + written) % PAGE_BYTES);
    const length = Math.min(room, bytes.length - written);
    written += (await file.write(bytes, written, length, at + written)).bytesWritten;
    await file.datasync();
  }
}
