import type { Block } from '../block/block.ts';
import type { BlockBytes, PackableBlock } from './block-bytes.ts';
import type { BlockRecord } from './block-record.ts';
import type { DirectoryClaim } from './claim-directory.ts';
import { HoleFiller, type HoleFillerOptions } from './hole-filler.ts';
import { packRecords } from './pack-records.ts';
import { isSame } from './segment-runs.ts';
import type { SegmentSet } from './segment-set.ts';

/** `elsewhere`: another process writes the files. `failing`: they cannot be written, and do not grow. */
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

/** Blocks that come while as much waits to be written are left out, and are missing until they are read again. */
const MAX_QUEUED_BYTES = 64 * 2 ** 20;
const BATCH_BLOCKS = 16;
const BATCH_BYTES = 8 * 2 ** 20;
/** So much may be lost with the machine. A process that is killed loses what waits to be written. */
const SYNC_MS = 5_000;
/** After a failure files are left alone for this time, and so is a directory that another process writes. */
const RETRY_MS = 10_000;

/** Writes the blocks of a chain as they are followed, beside the streams, and what is missing before them. Never rejects and never waits for the disk. */
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
      this.#become('failing', 'the disk is too slow: more waits than is held in memory');
      return;
    }
    this.#queue.push(found);
    this.#queuedBytes += found.sizeBytes;
    this.#begin();
  }

  /** Resolves when all that waited is on the disk, and another process may write. */
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

  /** Resolves when nothing is to be done at this moment. */
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
      if (!(await this.#hold())) return this.#rest('elsewhere', 'another process writes them');
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
      // What was listed before may not be what is there.
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
