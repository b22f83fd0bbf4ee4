import { LRUCache } from 'lru-cache';
import type { BlockRecord } from './block-record.ts';
import type { Segment } from './segment.ts';
import type { SegmentIndex } from './segment-index.ts';

/** Indexes that are held in memory: each of at most 50 kB. */
const MAX_INDEXES = 64;
/** Packed blocks that were read with the one that was asked for. */
const READ_BYTES = 8 * 2 ** 20;

/** What was read of segments. */
export class SegmentCache {
  readonly #indexes = new LRUCache<string, SegmentIndex>({ max: MAX_INDEXES });
  readonly #records = new LRUCache<string, BlockRecord>({
    maxSize: READ_BYTES,
    sizeCalculation: ({ packed }) => packed.length + 1,
  });
  /** Grows when records change their positions: what is being read then is not kept. */
  #generation = 0;

  forget(): void {
    this.#generation++;
    this.#records.clear();
    this.#indexes.clear();
  }

  /** @throws as `Segment.readIndex`. */
  async indexOf(segment: Segment): Promise<SegmentIndex> {
    if (!segment.isSealed) return await segment.readIndex();
    const generation = this.#generation;
    const index = this.#indexes.get(segment.path) ?? (await segment.readIndex());
    if (generation === this.#generation) this.#indexes.set(segment.path, index);
    return index;
  }

  /** Returns the record at a position; undefined if it is damaged. @throws Error if the file cannot be read. */
  async recordAt(segment: Segment, index: SegmentIndex, position: number): Promise<BlockRecord | undefined> {
    const generation = this.#generation;
    const keyAt = (at: number): string => `${generation} ${segment.path} ${at}`;
    const known = this.#records.get(keyAt(position));
    if (known !== undefined) return known;
    const records = await segment.readRecords(index, position);
    const [found] = records;
    if (found === undefined || Number(found.link.slot) !== index.slots[position]) return undefined;
    for (const [at, record] of records.entries()) this.#records.set(keyAt(position + at), record);
    return found;
  }
}
