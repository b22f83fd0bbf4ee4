import { mkdir, rm } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { Semaphore } from '../../../core/rpc/semaphore.ts';
import type { BlockRecord, Link } from './block-record.ts';
import { isMissing, listSegments, scanSegment } from './list-segments.ts';
import { withRoom } from './make-room.ts';
import { Segment } from './segment.ts';
import { indexAfter, type SegmentIndex } from './segment-index.ts';
import {
  countHoles,
  finalBefore,
  findAfter,
  type Hole,
  isSame,
  isServed,
  newestHole,
  reachOf,
  withSegment,
} from './segment-runs.ts';

export type SegmentSetOptions = {
  /** Of one ledger of one network. */
  readonly directory: string;
  /** A segment that reaches this size is sealed. */
  readonly segmentBytes: number;
  /** Makes room for a new segment, or on a full disk. @throws Error if that is impossible. */
  readonly makeRoom: () => Promise<void>;
  /** Called for a file that has a damaged record or cannot be read. */
  readonly onDamage: (path: string, reason: string) => void;
  /** Called when stored blocks were dropped. */
  readonly onCut: () => void;
};

/** The interval of looks for files that another process has written or deleted. */
const REFRESH_MS = 1_000;
/** The number of segments that may be appended to: the newest one, and one that fills a hole. */
const MAX_OPEN = 2;

/** The segments of one ledger in a directory, which one process writes and any other may read. Only linked blocks count as complete. */
export class SegmentSet {
  readonly #options: SegmentSetOptions;
  readonly #changes = new Semaphore(1);
  readonly #cache = new SegmentCache();
  #list: Segment[] = [];
  #live: Segment | undefined;
  #isWriter = false;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #isListed = false;
  #listing: Promise<void> | undefined;

  constructor(options: SegmentSetOptions) {
    this.#options = options;
  }

  /** Looks for files again. `isWriter`: from now on only this process appends to them. @throws Error if the directory cannot be read. */
  async open(isWriter: boolean): Promise<void> {
    await this.#changes.withPermit(async () => {
      if (isWriter) await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
      await Promise.all(this.#list.map((segment) => segment.close()));
      this.#live = undefined;
      this.#isWriter = isWriter;
      await this.#load([]);
      this.#forget();
    });
  }

  get standing() {
    return {
      bytes: this.#list.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      holes: countHoles(this.#list),
      /** Every block after this slot, up to the newest kept one, is present. */
      firstSlot: reachOf(this.#list, this.end?.slot ?? 0n, this.#live),
    };
  }

  get hole(): Hole | undefined {
    return newestHole(this.#list);
  }

  /** The newest block that is kept. */
  get end(): Link | undefined {
    return this.#list.at(-1)?.summary.end;
  }

  /** Returns the slot after which every block up to `from` is present, at most `from`. @throws Error while the directory is unreadable. */
  async reach(from: bigint): Promise<bigint> {
    await this.#refresh();
    return reachOf(this.#list, from, this.#live);
  }

  /** Returns the block after a slot, if it is present and stable. A damaged record is a hole from then on. @throws as `reach`. */
  async recordAfter(slot: bigint): Promise<BlockRecord | undefined> {
    await this.#refresh();
    const at = findAfter(this.#list, slot);
    const segment = this.#list[at];
    if (segment === undefined) return undefined;
    const index = await this.#indexOf(segment);
    // The segment was replaced or deleted.
    if (index === undefined) return await this.recordAfter(slot);
    const position = indexAfter(index, slot);
    const found = index.slots[position];
    if (found === undefined || !isServed(this.#list, at, BigInt(found), this.#live)) return undefined;
    return await this.#recordAt(segment, index, position);
  }

  /**
   * Appends records, each of which descends from the one before it, to the segment that ends with their parent, or to a new one.
   *
   * @param isLive true for the chain that is being followed now.
   * @throws Error if they cannot be written.
   */
  async append(records: readonly BlockRecord[], isLive: boolean): Promise<void> {
    const [first] = records;
    if (first === undefined) return;
    const { segmentBytes, makeRoom } = this.#options;
    await this.#changes.withPermit(async () => {
      if (this.#isDue()) await this.#load(this.#list);
      const known = this.#list.find((each) => !each.isSealed && isSame(each.summary.end, first.parent));
      if (known?.isFull(segmentBytes)) await withRoom(() => known.seal(), makeRoom);
      const segment = known === undefined || known.isSealed ? await this.#begin(first.parent) : known;
      try {
        await withRoom(() => segment.append(records), makeRoom);
      } catch (error) {
        if (segment !== known) await rm(segment.path, { force: true }).catch(ignore);
        throw error;
      }
      if (segment !== known) this.#list = withSegment(this.#list, segment);
      if (isLive) this.#live = segment;
      await this.#sealOthers(segment);
    });
  }

  /**
   * Call it before appending a block of the followed chain that does not follow the newest one. Streams get that chain: stored blocks of
   * other chains after the parent are dropped.
   *
   * @returns false if the block is stored already.
   */
  async admit(record: BlockRecord): Promise<boolean> {
    const segment = this.#list[findAfter(this.#list, record.parent.slot)];
    if (segment !== undefined && (await this.#has(segment, record))) {
      this.#live = segment;
      return false;
    }
    await this.cutAfter(record.parent.slot);
    return true;
  }

  /** Drops all blocks after a slot. */
  async cutAfter(slot: bigint): Promise<void> {
    await this.#changes.withPermit(async () => {
      for (const segment of [...this.#list]) {
        const { base, end } = segment.summary;
        if (base.slot >= slot) await this.#drop(segment);
        else if (end.slot > slot) await this.#cutSegment(segment, slot);
      }
    });
  }

  /** Drops the end of the run before a hole that was not final. @returns false if all of it was final. */
  async cutToFinal({ before }: Hole): Promise<boolean> {
    return await this.#changes.withPermit(async () => {
      const finalSlot = finalBefore(this.#list, before);
      if (before.summary.end.slot <= finalSlot) return false;
      if (before.summary.base.slot >= finalSlot) await this.#drop(before);
      else await this.#cutSegment(before, finalSlot);
      return true;
    });
  }

  /** Resolves when all records are on the disk. */
  async sync(): Promise<void> {
    await this.#changes.withPermit(async () => {
      for (const segment of this.#list) await segment.sync();
    });
  }

  /** Stops writing; the files can still be read. */
  async close(): Promise<void> {
    await this.#changes.withPermit(async () => {
      this.#isWriter = false;
      this.#live = undefined;
      await Promise.all(this.#list.map((segment) => segment.close()));
    });
  }

  async #begin(base: Link): Promise<Segment> {
    await this.#options.makeRoom();
    await this.#load(this.#list);
    return Segment.begin(this.#options.directory, base);
  }

  async #sealOthers(current: Segment): Promise<void> {
    const open = this.#list.filter((segment) => !segment.isSealed && segment !== current);
    for (const each of open.slice(0, 1 - MAX_OPEN)) await withRoom(() => each.seal(), this.#options.makeRoom);
  }

  async #drop(segment: Segment): Promise<void> {
    this.#list = this.#list.filter((each) => each !== segment);
    if (this.#live === segment) this.#live = undefined;
    this.#forget();
    if (!this.#isWriter) return;
    await segment.close();
    await rm(segment.path, { force: true });
  }

  /** Drops the records after a slot. */
  async #cutSegment(segment: Segment, slot: bigint): Promise<void> {
    const index = await this.#indexOf(segment);
    if (index === undefined) return;
    if (await segment.cut(indexAfter(index, slot), this.#isWriter)) this.#forget();
    else await this.#drop(segment);
  }

  async #has(segment: Segment, { parent, link }: BlockRecord): Promise<boolean> {
    const index = await this.#indexOf(segment);
    const found = index && (await this.#recordAt(segment, index, indexAfter(index, parent.slot)));
    return found !== undefined && isSame(found.link, link);
  }

  #forget(): void {
    this.#cache.forget();
    this.#options.onCut();
  }

  /** Undefined: the segment cannot be read, and no longer counts. */
  async #indexOf(segment: Segment): Promise<SegmentIndex | undefined> {
    try {
      return await this.#cache.indexOf(segment);
    } catch (error) {
      this.#list = this.#list.filter((each) => each !== segment);
      if (isMissing(error)) return undefined;
      // Without its index a segment is read by its records.
      this.#options.onDamage(segment.path, String(error));
      const found = await scanSegment(segment.path, ignore).catch(ignore);
      if (found !== undefined) this.#list = withSegment(this.#list, found);
      this.#forget();
      return undefined;
    }
  }

  async #recordAt(segment: Segment, index: SegmentIndex, position: number) {
    try {
      const found = await this.#cache.recordAt(segment, index, position);
      if (found === undefined) await this.#cutDamaged(segment, position);
      return found;
    } catch (error) {
      if (isMissing(error)) this.#list = this.#list.filter((each) => each !== segment);
      else this.#options.onDamage(segment.path, String(error));
      return undefined;
    }
  }

  async #cutDamaged(segment: Segment, position: number): Promise<void> {
    await this.#changes.withPermit(async () => {
      // It may have been cut meanwhile, or written again by its process.
      const index = await segment.readIndex();
      const slot = index.slots[position];
      if (!this.#list.includes(segment) || slot === undefined) return;
      const [again] = await segment.readRecords(index, position);
      if (again !== undefined && Number(again.link.slot) === slot) return;
      this.#options.onDamage(segment.path, `the block of slot ${slot} is damaged`);
      await this.#cutSegment(segment, BigInt(slot) - 1n);
    });
  }

  async #refresh(): Promise<void> {
    if (!this.#isListed) return await this.#listFirst();
    // Readers do not wait for a write in progress, because the writer looks for files too.
    if (!this.#isDue() || this.#changes.inProgress > 0) return;
    this.#refreshedMs = performance.now();
    await this.#changes.withPermit(() => this.#load(this.#list)).catch(ignore);
  }

  /** Requests that come before the first listing share one wait: nothing is known until then. */
  async #listFirst(): Promise<void> {
    const list = async (): Promise<void> => (this.#isListed ? undefined : this.#load([]));
    this.#listing ??= this.#changes.withPermit(list).finally(() => {
      this.#listing = undefined;
    });
    await this.#listing;
  }

  #isDue(): boolean {
    return performance.now() - this.#refreshedMs >= REFRESH_MS;
  }

  async #load(known: readonly Segment[]): Promise<void> {
    this.#refreshedMs = performance.now();
    const options = { ...this.#options, isWriter: this.#isWriter };
    const { segments, gone, hasLost } = await listSegments(options, known);
    this.#list = segments;
    this.#isListed = true;
    if (hasLost) this.#forget();
    await Promise.all(gone.map((segment) => segment.close().catch(ignore)));
  }
}

const ignore = (): void => undefined;

/** Indexes that are held in memory: each of at most 50 kB. */
const MAX_INDEXES = 64;
/** Most bytes of packed blocks that are read along with the requested one. */
const READ_BYTES = 8 * 2 ** 20;

/** Caches indexes and records of segments. */
class SegmentCache {
  readonly #indexes = new LRUCache<string, SegmentIndex>({ max: MAX_INDEXES });
  readonly #records = new LRUCache<string, BlockRecord>({
    maxSize: READ_BYTES,
    sizeCalculation: ({ packed }) => packed.length + 1,
  });
  /** Grows when records change their positions: reads in progress are then not cached. */
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
