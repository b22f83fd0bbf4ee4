import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { min } from '../kept-blocks.ts';
import { type BlockRecord, decodeRecord, encodeRecord, type Link } from './block-record.ts';
import {
  decodeIndex,
  decodeSummary,
  encodeFooter,
  extend,
  indexBytes,
  type SegmentIndex,
  type SegmentSummary,
} from './segment-index.ts';

/** The state of a segment when it is opened. */
export type SegmentState = {
  readonly path: string;
  readonly summary: SegmentSummary;
  /** The index of a segment that records may be appended to. */
  readonly index?: SegmentIndex | undefined;
  /** The checksum of the index of a sealed segment. */
  readonly indexChecksum?: number | undefined;
};

/** The name of a file of blocks: its base slot, and a unique part. */
export const SEGMENT_NAME = /^\d{20}-[0-9a-f]{8}\.blocks$/;

/** Bytes per read, or one record if that is larger. */
const PIECE_BYTES = 2 ** 20;
/** An index of this many records takes 50 kB of memory. */
const MAX_RECORDS = 4_096;
/** Slots have 20 digits at most. */
const DIGITS = 20;

/**
 * A file with blocks of one chain, each of which descends from the one before it. It is appended to until it is sealed by its index. A
 * name never changes its content: a file that is cut gets a new name.
 */
export class Segment {
  #path: string;
  #summary: SegmentSummary;
  #index: SegmentIndex | undefined;
  #indexChecksum: number | undefined;
  #file: FileHandle | undefined;
  #isDirty = false;

  constructor({ path, summary, index, indexChecksum }: SegmentState) {
    this.#path = path;
    this.#summary = summary;
    this.#index = index;
    this.#indexChecksum = indexChecksum;
  }

  /** Creates an empty segment after a block. The file is created with the first record. */
  static begin(directory: string, base: Link): Segment {
    const summary = { base, end: base, finalizedSlot: 0n, count: 0, endAt: 0 };
    return new Segment({ path: newPath(directory, base), summary, index: { slots: [], places: [] } });
  }

  get path(): string {
    return this.#path;
  }

  get summary(): SegmentSummary {
    return this.#summary;
  }

  /** True when nothing more is appended. */
  get isSealed(): boolean {
    return this.#indexChecksum !== undefined;
  }

  /** True if it has reached the most bytes or records of a segment. */
  isFull(maxBytes: number): boolean {
    return this.#summary.endAt >= maxBytes || this.#summary.count >= MAX_RECORDS;
  }

  get sizeBytes(): number {
    const { count, endAt } = this.#summary;
    return endAt + (this.isSealed ? indexBytes(count) : 0);
  }

  /** Returns the index, which is read from the file of a sealed segment. @throws Error if the file cannot be read. */
  async readIndex(): Promise<SegmentIndex> {
    if (this.#index !== undefined) return this.#index;
    const { count, endAt } = this.#summary;
    const bytes = await this.#read(endAt, indexBytes(count));
    const index = decodeIndex(bytes, this.#indexChecksum ?? 0);
    if (index === undefined) throw new Error(`the index of ${this.#path} is damaged`);
    return index;
  }

  /** Reads records from a position: as many as a piece holds, at least one. Empty: the first one is damaged. @throws as `readIndex`. */
  async readRecords({ places }: SegmentIndex, from: number): Promise<readonly BlockRecord[]> {
    const start = places[from] ?? 0;
    let to = from + 1;
    while (to < places.length && this.#placeAt(places, to + 1) - start <= PIECE_BYTES) to++;
    const bytes = await this.#read(start, this.#placeAt(places, to) - start);
    const records: BlockRecord[] = [];
    for (let at = 0; at < bytes.length; ) {
      const found = decodeRecord(bytes, at);
      if (found === undefined) break;
      records.push(found.record);
      at = found.endAt;
    }
    return records;
  }

  /** Appends records, each of which descends from the one before it. @throws Error if they cannot be written: then none counts. */
  async append(records: readonly BlockRecord[]): Promise<void> {
    const encoded = records.map(encodeRecord);
    const index = await this.readIndex();
    this.#file ??= await openToAppend(this.#path, this.#summary.endAt);
    this.#isDirty = true;
    try {
      await writeAll(this.#file, Buffer.concat(encoded), this.#summary.endAt);
    } catch (error) {
      // A partial write is dropped when the file is opened again.
      await this.close().catch(ignore);
      throw error;
    }
    for (const [at, record] of records.entries()) {
      const place = this.#summary.endAt;
      this.#summary = extend(this.#summary, record, place + (encoded[at]?.length ?? 0));
      index.slots.push(Number(record.link.slot));
      index.places.push(place);
    }
  }

  /** Resolves when all records are on the disk. */
  async sync(): Promise<void> {
    if (!this.#isDirty || this.#file === undefined) return;
    this.#isDirty = false;
    await this.#file.datasync();
  }

  /** Writes the index after the records, once those are on the disk. */
  async seal(): Promise<void> {
    const index = await this.readIndex();
    this.#file ??= await openToAppend(this.#path, this.#summary.endAt);
    await this.#file.datasync();
    const footer = encodeFooter(this.#summary, index);
    await writeAll(this.#file, footer, this.#summary.endAt);
    await this.close();
    this.#indexChecksum = decodeSummary(footer)?.indexChecksum;
    this.#index = undefined;
  }

  /**
   * Drops the records from a position on, and unreadable ones before it. A segment that was sealed may be appended to again.
   *
   * @param isWriter false: the file stays as it is, for the process that writes it.
   * @returns false if no record would be left: the segment stays as it is.
   */
  async cut(position: number, isWriter: boolean): Promise<boolean> {
    const index = await this.readIndex();
    for (let count = position; count > 0; count--) {
      const [last] = await this.readRecords(index, count - 1);
      if (last === undefined) continue;
      await this.#cutTo(index, count, last.link, isWriter);
      return true;
    }
    return false;
  }

  /** Closes the file, with all records on the disk. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    await file.datasync().finally(() => file.close());
  }

  async #cutTo({ slots, places }: SegmentIndex, count: number, end: Link, isWriter: boolean) {
    const endAt = this.#placeAt(places, count);
    if (isWriter) {
      await this.close();
      const path = newPath(dirname(this.#path), this.#summary.base);
      await rename(this.#path, path);
      this.#path = path;
      const file = await openToAppend(path, endAt);
      await file.close();
      this.#indexChecksum = undefined;
    }
    this.#index = { slots: slots.slice(0, count), places: places.slice(0, count) };
    const finalizedSlot = min(this.#summary.finalizedSlot, end.slot);
    this.#summary = { ...this.#summary, end, finalizedSlot, count, endAt };
  }

  #placeAt(places: readonly number[], at: number): number {
    return places[at] ?? this.#summary.endAt;
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const file = await open(this.#path, 'r');
    try {
      const buffer = Buffer.allocUnsafe(length);
      let read = 0;
      while (read < length) {
        const { bytesRead } = await file.read(buffer, read, length - read, position + read);
        if (bytesRead === 0) break;
        read += bytesRead;
      }
      return buffer.subarray(0, read);
    } finally {
      await file.close();
    }
  }
}

function newPath(directory: string, { slot }: Link): string {
  const name = `${String(slot).padStart(DIGITS, '0')}-${randomBytes(4).toString('hex')}.blocks`;
  return join(directory, name);
}

/** Drops the rest of a write that failed or was cut short by a kill. */
async function openToAppend(path: string, endAt: number): Promise<FileHandle> {
  const file = await open(path, endAt === 0 ? 'w' : 'r+', 0o600);
  try {
    await file.truncate(endAt);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

const ignore = (): void => undefined;
