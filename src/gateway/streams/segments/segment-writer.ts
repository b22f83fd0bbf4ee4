import { setImmediate } from 'node:timers/promises';
import type { Block } from '../block/block.ts';
import { type BlockRecord, type Link, recordOf } from './block-record.ts';
import type { DirectoryClaim } from './claim-directory.ts';
import { isSame } from './segment-runs.ts';
import type { SegmentSet } from './segment-set.ts';
import { packBlock } from '../shared/pack-block.ts';

/** `elsewhere`: another process writes the files. `failing`: the files cannot be written. */
export type WritingState = 'idle' | 'writing' | 'elsewhere' | 'failing';

export type SegmentWriterOptions = Pick<HoleFillerOptions, 'findMissing'> & {
  readonly set: SegmentSet;
  readonly bytes: Pick<BlockBytes, 'take' | 'find'>;
  readonly claim: () => Promise<DirectoryClaim | undefined>;
  /** Called when the state changes. */
  readonly onState: (state: WritingState, reason: string) => void;
  /** Default: {@link RETRY_MS}. */
  readonly retryMs?: number | undefined;
};

/** Blocks that arrive while this much waits to be written are skipped, and are missing until they are read again. */
const MAX_QUEUED_BYTES = 64 * 2 ** 20;
const BATCH_BLOCKS = 16;
const BATCH_BYTES = 8 * 2 ** 20;
/** A crash of the machine loses this much at most. A process that is killed loses what waits to be written. */
const SYNC_MS = 5_000;
/** The pause after a failure, and while another process writes the directory. */
const RETRY_MS = 10_000;

/** Writes the followed blocks of a chain in the background, and fills the holes before them. Never rejects and never waits for the disk. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #retryMs: number;
  readonly #filler: HoleFiller;
  #queue: PackableBlock[] = [];
  #queuedBytes = 0;
  #claim: DirectoryClaim | undefined;
  #working: Promise<void> | undefined;
  #syncing: NodeJS.Timeout | undefined;
  #state: WritingState = 'idle';
  #restsUntilMs = 0;
  #isStopped = false;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#filler = new HoleFiller({ ...options, retryMs: this.#retryMs, onFound: () => this.#begin() });
  }

  get state(): WritingState {
    return this.#state;
  }

  /** Takes the next block of the chain. */
  note(block: Block): void {
    const found = this.#options.bytes.take(block);
    if (this.#isStopped || found === undefined || performance.now() < this.#restsUntilMs) return;
    if (this.#queuedBytes + found.sizeBytes > MAX_QUEUED_BYTES && this.#queue.length > 0) {
      this.#become('failing', 'the disk is too slow: the write queue is full');
      return;
    }
    this.#queue.push(found);
    this.#queuedBytes += found.sizeBytes;
    this.#begin();
  }

  /** Resolves when the queue is on the disk, and another process may write. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#filler.stop();
    clearTimeout(this.#syncing);
    await this.#working;
    await this.#options.set.close().catch(ignore);
    await this.#claim?.release().catch(ignore);
    this.#claim = undefined;
    this.#state = 'idle';
  }

  /** Resolves when no work is left for now. */
  async settled(): Promise<void> {
    for (;;) {
      const pending = this.#working ?? this.#filler.seeking;
      if (pending === undefined) return;
      await pending;
    }
  }

  #begin(): void {
    if (this.#working !== undefined) return;
    this.#working = this.#work()
      .catch((error: unknown) => this.#rest('failing', String(error)))
      .finally(() => {
        this.#working = undefined;
        if (this.#hasWork()) this.#begin();
      });
  }

  #hasWork(): boolean {
    if (this.#isStopped || performance.now() < this.#restsUntilMs) return false;
    return this.#queue.length > 0 || this.#filler.hasFound;
  }

  async #work(): Promise<void> {
    for (;;) {
      if (!(await this.#hold())) return this.#rest('elsewhere', 'another process writes the segments');
      const batch = this.#nextBatch();
      if (batch.length > 0) await this.#write(batch);
      else if (!(await this.#filler.append())) break;
    }
    this.#become('writing', '');
    this.#filler.seek();
    this.#syncing ??= setTimeout(() => this.#sync(), SYNC_MS).unref();
  }

  #sync(): void {
    this.#syncing = undefined;
    this.#options.set.sync().catch((error: unknown) => this.#rest('failing', String(error)));
  }

  async #hold(): Promise<boolean> {
    const { set, claim } = this.#options;
    if (this.#claim !== undefined) {
      if (await this.#claim.isHeld()) return true;
      await this.#claim.release().catch(ignore);
      this.#claim = undefined;
      await set.open(false);
      return false;
    }
    const claimed = await claim();
    if (claimed === undefined) return false;
    try {
      await set.open(true);
    } catch (error) {
      // The earlier listing may be outdated.
      await set.close().catch(ignore);
      await claimed.release().catch(ignore);
      throw error;
    }
    this.#claim = claimed;
    return true;
  }

  #nextBatch(): readonly PackableBlock[] {
    let [count, bytes] = [0, 0];
    for (const { sizeBytes } of this.#queue.slice(0, BATCH_BLOCKS)) {
      if (count > 0 && bytes + sizeBytes > BATCH_BYTES) break;
      count++;
      bytes += sizeBytes;
    }
    this.#queuedBytes -= bytes;
    return this.#queue.splice(0, count);
  }

  async #write(batch: readonly PackableBlock[]): Promise<void> {
    const { set } = this.#options;
    let group: BlockRecord[] = [];
    for (const record of await packRecords(batch)) {
      const end = group.at(-1)?.link ?? set.end;
      if (end !== undefined && !isSame(end, record.parent)) {
        await set.append(group, true);
        group = [];
        if (!(await set.admit(record))) continue;
      }
      group.push(record);
    }
    await set.append(group, true);
    if (this.#queue.length === 0) this.#become('writing', '');
  }

  #rest(state: WritingState, reason: string): void {
    this.#restsUntilMs = performance.now() + this.#retryMs;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#become(state, reason);
  }

  #become(state: WritingState, reason: string): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState(state, reason);
  }
}

const ignore = (): void => undefined;

type HoleFillerOptions = {
  readonly set: Pick<SegmentSet, 'hole' | 'append' | 'cutToFinal'>;
  readonly bytes: Pick<BlockBytes, 'find'>;
  /** As `findMissing`. */
  readonly findMissing: (link: Link, before: bigint, signal: AbortSignal) => Promise<Missing>;
  /** Called when blocks were found. */
  readonly onFound: () => void;
  /** The pause after an attempt that fills nothing. */
  readonly retryMs: number;
};

type Missing = readonly Block[] | 'fork' | 'gone';
/** The end of a run, and the beginning of the next one. */
type Gap = { readonly from: Link; readonly to: Link };

/** Finds the blocks of the newest hole, in order, while other blocks are written. */
class HoleFiller {
  readonly #options: HoleFillerOptions;
  readonly #stopping = new AbortController();
  #seeking: Promise<void> | undefined;
  #found: (Gap & { readonly missing: Missing }) | undefined;
  /** Set while the search pauses. */
  #resting: NodeJS.Timeout | undefined;
  /** The end of a run whose next blocks no source has. */
  #lost: Link | undefined;

  constructor(options: HoleFillerOptions) {
    this.#options = options;
  }

  /** Pending while a search runs. */
  get seeking(): Promise<void> | undefined {
    return this.#seeking;
  }

  /** True if found blocks wait to be appended. */
  get hasFound(): boolean {
    return this.#found !== undefined;
  }

  /** Searches for the next missing blocks, now or after a pause. Returns at once. */
  seek(): void {
    const gap = this.#gap();
    const isBusy = (this.#seeking ?? this.#found ?? this.#resting) !== undefined;
    if (gap === undefined || isBusy || this.#stopping.signal.aborted) return;
    if (this.#lost && isSame(this.#lost, gap.from)) return;
    this.#seeking = this.#seek(gap)
      .catch(() => this.#rest())
      .finally(() => {
        this.#seeking = undefined;
        if (this.#found !== undefined) this.#options.onFound();
      });
  }

  /** Appends the found blocks. @returns false if there were none. @throws Error if they cannot be written. */
  async append(): Promise<boolean> {
    const found = this.#found;
    const { hole } = this.#options.set;
    if (found === undefined) return false;
    this.#found = undefined;
    if (hole === undefined || !this.#isOpen(found)) return true;
    if (found.missing === 'fork') {
      // The source of those blocks may offer them again at once.
      this.#rest();
      if (!(await this.#options.set.cutToFinal(hole))) this.#lost = found.from;
    } else if (found.missing === 'gone' || found.missing.some((block) => isBeyond(block, found.to)))
      this.#lost = found.from;
    else await this.#append(found.missing, found);
    return true;
  }

  /** Stops the search; its result is dropped. */
  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#resting);
    this.#found = undefined;
  }

  async #seek({ from, to }: Gap): Promise<void> {
    // Blocks that are available at once would otherwise leave no time for anything else.
    await setImmediate();
    const { signal } = this.#stopping;
    const { findMissing } = this.#options;
    const missing = from.slot < to.slot ? await findMissing(from, to.slot, signal) : 'fork';
    if (!signal.aborted) this.#found = { from, to, missing };
  }

  async #append(blocks: readonly Block[], gap: Gap): Promise<void> {
    const { set, bytes } = this.#options;
    const packable = blocks.flatMap((block) => bytes.find(block) ?? []);
    if (packable.length === blocks.length) await set.append(await packRecords(packable), false);
    if (this.#isOpen(gap)) this.#rest();
  }

  #gap(): Gap | undefined {
    const { hole } = this.#options.set;
    return hole && { from: hole.before.summary.end, to: hole.after.summary.base };
  }

  #isOpen({ from, to }: Gap): boolean {
    const gap = this.#gap();
    return gap !== undefined && isSame(gap.from, from) && isSame(gap.to, to);
  }

  #rest(): void {
    const goOn = (): void => {
      this.#resting = undefined;
      this.seek();
    };
    this.#resting ??= setTimeout(goOn, this.#options.retryMs).unref();
  }
}

/** True for a block that is not on the chain of a later one. */
function isBeyond({ slot, blockhash }: Block, to: Link): boolean {
  return slot > to.slot || (slot === to.slot && blockhash !== to.blockhash);
}

/** Packs blocks for files, off the main thread. */
async function packRecords(blocks: readonly PackableBlock[]): Promise<readonly BlockRecord[]> {
  return await Promise.all(blocks.map(async ({ block, pack }) => recordOf(block, await pack())));
}

/** The bytes that blocks were read from, until they are taken or the block is no longer used. */
export type BlockBytes = {
  /** Notes the node's reply. */
  readonly noteReply: (block: Block, reply: Buffer) => void;
  /** Notes a reply that is packed already. */
  readonly notePacked: (block: Block, packed: Buffer) => void;
  /** Returns the bytes of a block, and forgets them. */
  readonly take: (block: Block) => PackableBlock | undefined;
  /** Returns the bytes of a block. */
  readonly find: (block: Block) => PackableBlock | undefined;
};

/** A block that can be kept. */
type PackableBlock = {
  readonly block: Block;
  /** The memory that it holds until then. */
  readonly sizeBytes: number;
  /** Returns its reply, packed off the main thread. */
  readonly pack: () => Promise<Buffer>;
};

/** Creates the record of the bytes of blocks. */
export function createBlockBytes(): BlockBytes {
  const noted = new WeakMap<Block, PackableBlock>();
  return {
    noteReply: (block, reply) =>
      void noted.set(block, { block, sizeBytes: reply.length, pack: () => packBlock(reply) }),
    notePacked: (block, packed) =>
      void noted.set(block, { block, sizeBytes: packed.length, pack: async () => packed }),
    take: (block) => {
      const found = noted.get(block);
      noted.delete(block);
      return found;
    },
    find: (block) => noted.get(block),
  };
}
