import { setTimeout as pause } from 'node:timers/promises';
import type { Block } from '../block/block.ts';
import { ChainFollower, type Identity } from '../chain-follower.ts';
import { type Feed, type FeedOptions, fromNode } from '../feed.ts';
import type { Tip } from '../next-blocks.ts';
import type { Candidate, CandidateOptions } from './run-for-reader.ts';
import type { SharedBlock, SharedBlocks, SharedReader } from './shared-blocks.ts';

/** The source of the blocks of a network: the gateway that reads for all, or this one itself; `idle`: no stream wants them here. */
export type BlockSource = 'shared' | 'own' | 'idle';

export type SharedFeedOptions = FeedOptions & {
  readonly blocks: SharedBlocks;
  /** True for a run of blocks of the ledger that is followed. */
  readonly trusts: (run: string) => Promise<boolean>;
  /** The newest slot that the nodes of this process have shown at confirmed; undefined while it is not known. */
  readonly shownSlot: () => bigint | undefined;
  /** Runs for the role of the common reader. */
  readonly runForReader: (given: Pick<CandidateOptions, 'isAhead'>) => Candidate;
  readonly onSource: (source: BlockSource) => void;
  /** The node is asked after this time without a shared block, or when shared blocks lag a local node by this much. Default 5,000 ms. */
  readonly stallMs?: number;
};

/** The longest wait for shared blocks. */
const WAIT_MS = 500;
const STALL_MS = 5_000;
/** A reader that polls every half slot is not late within this many polls. */
const LEAST_POLLS = 4;
/** Up to this many missing blocks before a shared one are read backwards and held in memory; more are read forwards. */
const MAX_MISSING_SLOTS = 32n;

/**
 * Follows a ledger by the shared blocks, and by its own node while those do not arrive: Redis, the gateway that reads for all, or its
 * node is lost. A block from either source must descend from the one before it, and missing blocks are read from the node, so a change
 * of the source leaves no gap, and positions stay valid.
 */
export class SharedFeed implements Feed {
  readonly startSlot: bigint;
  readonly genesis: string;
  readonly #options: SharedFeedOptions;
  readonly #chain: ChainFollower;
  readonly #stopping = new AbortController();
  readonly #stallMs: number;
  readonly #lag: LagWatch;
  #reader: SharedReader | undefined;
  #candidate: Candidate | undefined;
  #source: BlockSource = 'idle';
  /** Shared blocks have been examined up to this slot. */
  #lookedAt: bigint;
  #run = '';
  /** False: the last shared block could not be read. */
  #isReadable = true;
  /** The parent of the last shared block that could be read. */
  #parentSlot: bigint;
  #heardAtMs = 0;
  /** The newest slot that is known to be shared. */
  #published: bigint;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: SharedFeedOptions, tip: Tip, identity: Identity) {
    this.#options = options;
    this.genesis = identity.genesis;
    this.#chain = new ChainFollower(options, tip, identity);
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#lag = createLagWatch({
      shownSlot: options.shownSlot,
      boundMs: () => Math.max(this.#stallMs, LEAST_POLLS * options.pollMs()),
    });
    this.startSlot = this.#lookedAt = this.#published = this.#parentSlot = tip.slot;
  }

  run(): void {
    if (this.#chain.isStopped) return;
    this.#reader = this.#options.blocks.openReader();
    this.#candidate = this.#options.runForReader({ isAhead: () => this.#isAhead() });
    this.#become('shared');
    // Neither loop waits for the other: shared blocks are taken while the node hangs.
    void this.#follow(() => this.#readShared());
    void this.#follow(() => this.#readNode());
  }

  stop(): void {
    this.#chain.stop();
    this.#become('idle');
    this.#stopping.abort();
    const [reader, candidate, ended] = [this.#reader, this.#candidate, this.#ended];
    this.#reader = this.#candidate = undefined;
    this.#ended = Promise.all([ended, reader?.close(), candidate?.stop()]).then(() => undefined);
  }

  /** Resolves after `stop` when its connections are closed and its term is over. The answer to a pending call to a node is dropped. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  async #follow(turn: () => Promise<void>): Promise<void> {
    const { onFailure, onChanged, pollMs } = this.#options;
    while (!this.#chain.isStopped) {
      try {
        await turn();
      } catch (thrown) {
        if (this.#chain.isStopped) return;
        const error = fromNode(thrown);
        if (error.code === 'ledgerChanged') {
          this.stop();
          return onChanged(error);
        }
        onFailure(error);
        await this.#pause(pollMs());
      }
    }
  }

  /** Takes shared blocks. The node is asked while they are unavailable. */
  async #readShared(): Promise<void> {
    const [{ blocks, pollMs }, reader] = [this.#options, this.#reader];
    if (reader === undefined || !blocks.isUp()) return await this.#loseShared();
    // The connection is being opened.
    if (!reader.isUp()) return await this.#pause(pollMs());
    if (this.#isFarBehind()) return await this.#waitForNode();
    const { slot } = this.#chain.tip;
    if (slot > this.#lookedAt) this.#lookedAt = slot;
    const found = await reader.read(this.#lookedAt, WAIT_MS).catch(ignore);
    if (found === undefined) return await this.#loseShared();
    let hasTaken = false;
    for (const each of found) {
      if (await this.#take(each)) hasTaken = true;
      if (this.#isFarBehind()) break;
    }
    if (!hasTaken) await this.#lookAtHead().catch(() => this.#loseShared());
  }

  /** Waits for the node before the next shared block is examined, as blocks before it are missing. */
  async #waitForNode(): Promise<void> {
    await this.#pause(this.#options.pollMs());
    await this.#lookAtHead().catch(() => this.#loseShared());
  }

  async #loseShared(): Promise<void> {
    this.#become('own');
    await this.#pause(this.#options.pollMs());
  }

  /** Asks the node while shared blocks do not arrive. */
  async #readNode(): Promise<void> {
    const pollMs = this.#options.pollMs();
    const isQuiet = performance.now() - this.#heardAtMs >= this.#stallMs;
    const isLate = this.#lag.isLate(this.#published);
    if (this.#source === 'shared' && !isQuiet && !isLate) return await this.#pause(Math.min(pollMs, WAIT_MS));
    const { hasTaken, mayHaveMore } = await this.#chain.readNext();
    if (hasTaken) this.#become('own');
    // On a quiet ledger the node has no new blocks either.
    else this.#heardAtMs = performance.now();
    if (!mayHaveMore) await this.#pause(pollMs);
  }

  async #lookAtHead(): Promise<void> {
    const head = await this.#options.blocks.head();
    if (head === undefined || !(await this.#options.trusts(head.run))) return;
    const { slot } = this.#chain.tip;
    this.#published = head.slot;
    // Blocks that start over may begin below those that were examined.
    if (head.run !== this.#run) this.#lookedAt = slot;
    this.#run = head.run;
    // Blocks after the tip are missing where the shared ones started over.
    if (head.base > slot) this.#become('own');
    // The common reader has caught up with this gateway.
    else if (head.slot >= slot && this.#isReadable && !this.#isFarBehind()) this.#become('shared');
  }

  /**
   * Takes a shared block. The node is asked for one that cannot be read or belongs to another ledger. One with too many missing blocks
   * before it is examined again when the node has come near it.
   *
   * @returns true if it was taken.
   */
  async #take(shared: SharedBlock): Promise<boolean> {
    const block = await this.#read(shared);
    this.#isReadable = block !== undefined;
    if (block !== undefined) this.#parentSlot = block.parentSlot;
    if (this.#isFarBehind()) {
      this.#become('own');
      return false;
    }
    const isTaken = block !== undefined && (await this.#chain.take(block, shared.finalizedSlot));
    if (isTaken) {
      this.#become('shared');
      this.#heardAtMs = performance.now();
    }
    this.#lookedAt = this.#published = shared.slot;
    return isTaken;
  }

  async #read(shared: SharedBlock): Promise<Block | undefined> {
    try {
      return (await this.#options.trusts(shared.run)) ? await shared.read() : undefined;
    } catch (error) {
      this.#options.onFailure(fromNode(error));
      return undefined;
    }
  }

  /** True while too many blocks are missing before a shared one: the node is read in order. */
  #isFarBehind(): boolean {
    return this.#parentSlot - this.#chain.tip.slot > MAX_MISSING_SLOTS;
  }

  /** True when its own blocks descend from the shared ones, and those are late. */
  #isAhead(): boolean {
    const isBeyond = this.#source === 'own' && this.#chain.tip.slot > this.#published;
    return isBeyond && this.#lag.isLate(this.#published);
  }

  #become(source: BlockSource): void {
    if (this.#source === source || (this.#chain.isStopped && source !== 'idle')) return;
    this.#source = source;
    this.#heardAtMs = performance.now();
    this.#options.onSource(source);
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(ignore);
  }
}

const ignore = (): undefined => undefined;

type LagWatchOptions = {
  /** The newest slot that the nodes of this process have shown; undefined while it is not known. */
  readonly shownSlot: () => bigint | undefined;
  /** The published blocks may be this much later. */
  readonly boundMs: () => number;
};

/** Compares the blocks that are published with what the nodes of this process have shown. */
type LagWatch = {
  /**
   * Call it often. Returns true while a slot that was shown longer ago than the bound is not published yet.
   *
   * @param publishedSlot the newest slot that is published.
   */
  readonly isLate: (publishedSlot: bigint) => boolean;
};

/** Measures by one slot at a time: the newest that was shown when the last one was published. */
export function createLagWatch({ shownSlot, boundMs }: LagWatchOptions): LagWatch {
  let missing: { readonly slot: bigint; readonly sinceMs: number } | undefined;
  return {
    isLate: (publishedSlot) => {
      if (missing !== undefined && publishedSlot >= missing.slot) missing = undefined;
      const shown = shownSlot();
      if (missing === undefined && shown !== undefined && shown > publishedSlot)
        missing = { slot: shown, sinceMs: performance.now() };
      return missing !== undefined && performance.now() - missing.sinceMs >= boundMs();
    },
  };
}
