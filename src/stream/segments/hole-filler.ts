import { setImmediate } from 'node:timers/promises';
import type { Block } from '../block/block.ts';
import type { BlockBytes } from './block-bytes.ts';
import type { Link } from './block-record.ts';
import { packRecords } from './pack-records.ts';
import { isSame } from './segment-runs.ts';
import type { SegmentSet } from './segment-set.ts';

export type HoleFillerOptions = {
  readonly set: Pick<SegmentSet, 'hole' | 'append' | 'cutToFinal'>;
  readonly bytes: Pick<BlockBytes, 'find'>;
  /** As `findMissing`. */
  readonly findMissing: (link: Link, before: bigint, signal: AbortSignal) => Promise<Missing>;
  /** Called when something was found. */
  readonly onFound: () => void;
  /** After an attempt that fills nothing the next one waits for this time. */
  readonly retryMs: number;
};

type Missing = readonly Block[] | 'fork' | 'gone';
/** Where a run ends, and the one after it begins. */
type Gap = { readonly from: Link; readonly to: Link };

/** Finds the blocks of the newest hole of files, in order, while other blocks are written. */
export class HoleFiller {
  readonly #options: HoleFillerOptions;
  readonly #stopping = new AbortController();
  #seeking: Promise<void> | undefined;
  #found: (Gap & { readonly missing: Missing }) | undefined;
  /** Pending while nothing is looked for. */
  #resting: NodeJS.Timeout | undefined;
  /** The end of a run after which nobody has the blocks. */
  #lost: Link | undefined;

  constructor(options: HoleFillerOptions) {
    this.#options = options;
  }

  /** Pending while blocks are looked for. */
  get seeking(): Promise<void> | undefined {
    return this.#seeking;
  }

  /** True if something waits to be appended. */
  get hasFound(): boolean {
    return this.#found !== undefined;
  }

  /** Looks for the next missing blocks, at once or after a pause. Returns at once. */
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

  /** Appends what was found. @returns false if there was nothing. @throws Error if it cannot be written. */
  async append(): Promise<boolean> {
    const found = this.#found;
    const { hole } = this.#options.set;
    if (found === undefined) return false;
    this.#found = undefined;
    if (hole === undefined || !this.#isOpen(found)) return true;
    if (found.missing === 'fork') {
      // Whoever has those blocks may offer them again at once.
      this.#rest();
      if (!(await this.#options.set.cutToFinal(hole))) this.#lost = found.from;
    } else if (found.missing === 'gone' || found.missing.some((block) => isBeyond(block, found.to)))
      this.#lost = found.from;
    else await this.#append(found.missing, found);
    return true;
  }

  /** What is looked for at this moment is not found any more. */
  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#resting);
    this.#found = undefined;
  }

  async #seek({ from, to }: Gap): Promise<void> {
    // Blocks that are at hand would otherwise leave no time for anything else.
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
