import { mkdir, rm } from 'node:fs/promises';
import { Semaphore } from '../../rpc/semaphore.ts';
import type { BlockRecord, Link } from './block-record.ts';
import { isMissing, listSegments } from './list-segments.ts';
import { scanSegment } from './load-segment.ts';
import { withRoom } from './make-room.ts';
import { Segment } from './segment.ts';
import { SegmentCache } from './segment-cache.ts';
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
  /** A segment that has as many bytes is sealed. */
  readonly segmentBytes: number;
  /** Makes room for a new segment, and where the disk is full. @throws Error where there is none. */
  readonly makeRoom: () => Promise<void>;
  /** Called for a file with a record that is not what was written, or that cannot be read. */
  readonly onDamage: (path: string, reason: string) => void;
  /** Called when blocks were dropped that were there before. */
  readonly onCut: () => void;
};

/** Files that another process writes or deletes are looked for this often. */
const REFRESH_MS = 1_000;
/** Segments that may be appended to: the newest one, and what fills a hole. */
const MAX_OPEN = 2;

/** The segments of one ledger in a directory, which one process writes, and any other may read. Only blocks that are linked count as whole. */
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

  /** Looks for files again. As the writer, nobody else appends to them from now on. @throws Error if the directory cannot be read. */
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
      /** Every block after this slot up to the newest one that is kept is there. */
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

  /** Returns the slot after which every block up to `from` is there; `from` if there is none. @throws Error while the directory cannot be read. */
  async reach(from: bigint): Promise<bigint> {
    await this.#refresh();
    return reachOf(this.#list, from, this.#live);
  }

  /** Returns the block after a slot, if it is there and can no longer change. A damaged record is a hole from then on. @throws as `reach`. */
  async recordAfter(slot: bigint): Promise<BlockRecord | undefined> {
    await this.#refresh();
    const at = findAfter(this.#list, slot);
    const segment = this.#list[at];
    if (segment === undefined) return undefined;
    const index = await this.#indexOf(segment);
    // The segment is another one now, or gone.
    if (index === undefined) return await this.recordAfter(slot);
    const position = indexAfter(index, slot);
    const found = index.slots[position];
    if (found === undefined || !isServed(this.#list, at, BigInt(found), this.#live)) return undefined;
    return await this.#recordAt(segment, index, position);
  }

  /**
   * Appends records, each of which descends from the one before it, to the segment that ends with their parent, or to a new one.
   *
   * @param isLive they are of the chain that is followed at this moment.
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
   * Call it before a block of the chain that is followed is appended which does not follow on the newest one. That chain is what streams are
   * sent: what is there on other ones after the parent is dropped.
   *
   * @returns false if the block is there already.
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

  /** Drops the end of the run before a hole, as far as it was not final. @returns false if all of it was. */
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

  /** Nothing is written any more; the files can still be read. */
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

  /** Undefined: it cannot be read, and counts no longer. */
  async #indexOf(segment: Segment): Promise<SegmentIndex | undefined> {
    try {
      return await this.#cache.indexOf(segment);
    } catch (error) {
      this.#list = this.#list.filter((each) => each !== segment);
      if (isMissing(error)) return undefined;
      // Without its index a segment is what its records say.
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
      // It may have been cut, or written again by its process, meanwhile.
      const index = await segment.readIndex();
      const slot = index.slots[position];
      if (!this.#list.includes(segment) || slot === undefined) return;
      const [again] = await segment.readRecords(index, position);
      if (again !== undefined && Number(again.link.slot) === slot) return;
      this.#options.onDamage(segment.path, `the block of slot ${slot} is not what was written`);
      await this.#cutSegment(segment, BigInt(slot) - 1n);
    });
  }

  async #refresh(): Promise<void> {
    if (!this.#isListed) return await this.#listFirst();
    // Readers do not wait for what is being written: whoever writes looks for files too.
    if (!this.#isDue() || this.#changes.inProgress > 0) return;
    this.#refreshedMs = performance.now();
    await this.#changes.withPermit(() => this.#load(this.#list)).catch(ignore);
  }

  /** All who ask before files were listed once wait for it together: nothing is known until then. */
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
