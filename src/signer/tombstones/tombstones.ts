import { hash as digest } from 'node:crypto';
import { join } from 'node:path';
import { type FileHandle, open } from 'node:fs/promises';
import { createFingerprintSet, FINGERPRINT_BYTES } from './fingerprint-set.ts';
import {
  type ReadOptions,
  decodeEntries,
  DISK_ENTRY_BYTES,
  encodeEntries,
  readTombstoneFile,
  ENTRIES_AT,
  encodeHead,
  type FileHead,
} from './read-tombstone-file.ts';
import { type RecordState, addEntries } from './record-chain.ts';
import { keyFailure } from '../hsm/hsm.ts';

/** A child of a master, by its index: the key at `m/44'/501'/x'/y'`. */
export type ChildPosition = { readonly masterWalletId: string; readonly x: number; readonly y: number };

/** The origin of a wallet's key: a random one, or derived from a master. */
export type KeyOrigin = { readonly walletId: string; readonly derivedFrom: ChildPosition | undefined };

/** A part of a record of destroyed keys. */
export type RecordPage = RecordState & { readonly isAdopted: boolean; readonly fingerprints: Buffer };

/** Number of entries read at a time. */
export const RECORD_PAGE = 4096;

/**
 * The destroyed keys. They are kept here so that restoring a store from a backup revives none of them; the store's copy and the check at each
 * start are in src/account/signer-records, the rows in src/wallets/managed/destroyed-rows.ts. Restoring this file as well revives what
 * was destroyed since, unless the copy in PostgreSQL or `audit_heads_file` shows it: then the server does not start.
 */
export type Tombstones = {
  readonly hasWallet: (walletId: string) => boolean;
  readonly hasChild: (child: ChildPosition) => boolean;
  /** Destroys the wallet, and, for a child, its index below the master, for good; resolves when this is on disk. */
  readonly bury: (walletId: string, derivedFrom?: ChildPosition) => Promise<void>;
  /** Destroys keys from another record in the same way, by their concatenated fingerprints. */
  readonly add: (fingerprints: Buffer) => Promise<void>;
  /** Resolves when everything begun before is on disk, or has failed. */
  readonly settled: () => Promise<void>;
  readonly size: () => number;
  /** Returns concatenated fingerprints of the record in order, and the state of the whole record. */
  readonly read: (from: number) => Promise<RecordPage>;
  /** Records that the store knows the record. */
  readonly adopt: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Opens `<directory>/tombstones`. An entry is a 16-byte fingerprint, 20 bytes on disk and 22 to 43 in memory; a destroyed child takes two.
 * The odds that two different names share a fingerprint are n²/2^129.
 *
 * @throws ServiceError `signerNotStarted` if the file is lost or damaged, or lacks acknowledged entries.
 */
export async function openTombstones(
  directory: string,
  options: Omit<ReadOptions, 'path'>,
): Promise<Tombstones> {
  const buried = createFingerprintSet();
  const file = await openTombstoneFile({
    ...options,
    path: join(directory, 'tombstones'),
    onFound: buried.add,
  });
  const underWay = new Set<Promise<void>>();
  const record = async (names: readonly Buffer[]): Promise<void> => {
    const fresh = names.filter((name) => !buried.has(name));
    if (fresh.length === 0) return;
    await file.append(fresh);
    for (const name of fresh) buried.add(name);
  };
  const write = async (names: readonly Buffer[]): Promise<void> => {
    const recorded = record(names);
    underWay.add(recorded);
    try {
      await recorded;
    } finally {
      underWay.delete(recorded);
    }
  };
  return {
    hasWallet: (walletId) => buried.has(walletFingerprint(walletId)),
    hasChild: (child) => buried.has(childFingerprint(child)),
    bury: (walletId, derivedFrom) =>
      write([
        walletFingerprint(walletId),
        ...(derivedFrom === undefined ? [] : [childFingerprint(derivedFrom)]),
      ]),
    add: (fingerprints) => write(split(fingerprints)),
    settled: async () => void (await Promise.allSettled(underWay)),
    size: buried.size,
    read: async (from) => {
      const { count, hash } = file.state();
      const fingerprints = await file.read(from, Math.min(RECORD_PAGE, count - from));
      return { count, hash, isAdopted: file.isAdopted(), fingerprints };
    },
    adopt: file.adopt,
    close: file.close,
  };
}

function split(fingerprints: Buffer): readonly Buffer[] {
  return Array.from({ length: fingerprints.length / FINGERPRINT_BYTES }, (_, index) =>
    fingerprints.subarray(index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES),
  );
}

const walletFingerprint = (walletId: string): Buffer => fingerprint(`wallet\n${walletId}`);

const childFingerprint = ({ masterWalletId, x, y }: ChildPosition): Buffer =>
  fingerprint(`child\n${x}\n${y}\n${masterWalletId}`);

function fingerprint(name: string): Buffer {
  return digest('sha256', name, 'buffer').subarray(0, FINGERPRINT_BYTES);
}

const PAGE_BYTES = 4096;

type TombstoneFile = {
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

type TombstoneFileOptions = ReadOptions & {
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
async function openTombstoneFile(options: TombstoneFileOptions): Promise<TombstoneFile> {
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
    const end = ENTRIES_AT + this.#head.count * DISK_ENTRY_BYTES;
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
  const bytes = Buffer.alloc(Math.max(0, count) * DISK_ENTRY_BYTES);
  for (let length = 0; length < bytes.length; ) {
    const at = ENTRIES_AT + from * DISK_ENTRY_BYTES + length;
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
