import { setTimeout as pause } from 'node:timers/promises';
import type { Block } from '../block/block.ts';
import { ChainFollower, type Identity } from '../chain-follower.ts';
import { type Feed, type FeedOptions, fromNode } from '../feed.ts';
import type { Tip } from '../next-blocks.ts';
import { createLagWatch, type LagWatch } from './lag-watch.ts';
import type { Candidate, CandidateOptions } from './run-for-reader.ts';
import type { SharedBlock, SharedBlocks, SharedReader } from './shared-blocks.ts';

/** Where the blocks of a network come from: the gateway that reads it for all, or this one itself; `idle`: nobody here wants them. */
export type BlockSource = 'shared' | 'own' | 'idle';

export type SharedFeedOptions = FeedOptions & {
  readonly blocks: SharedBlocks;
  /** True for a run of blocks of the ledger that is followed. */
  readonly trusts: (run: string) => Promise<boolean>;
  /** The newest slot that the nodes of this process have shown at confirmed; undefined while it is not known. */
  readonly shownSlot: () => bigint | undefined;
  /** Begins to try to be the one that reads for all. */
  readonly runForReader: (given: Pick<CandidateOptions, 'isAhead'>) => Candidate;
  readonly onSource: (source: BlockSource) => void;
  /** Without a shared block for this time, or where they are this much later than at a node of this process, the node is asked. Default 5,000 ms. */
  readonly stallMs?: number;
};

/** A wait for shared blocks. */
const WAIT_MS = 500;
const STALL_MS = 5_000;
/** A reader that polls each half slot is not late within so many polls. */
const LEAST_POLLS = 4;
/** Blocks that are missing before a shared one are read backwards, and are in memory until all are there. More than these are read forwards. */
const MAX_MISSING_SLOTS = 32n;

/**
 * Follows a ledger by the blocks that gateways share, and by its own node where those do not come: while Redis is lost, or the gateway that
 * reads for all, or its node. Whatever source a block has, it must descend from the one before it, and what is missing between them is
 * asked of the node; so a change of the source is no gap, and positions stay what they are.
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
  /** The shared blocks up to this slot were looked at. */
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
    // Neither waits for the other: shared blocks are taken while the node hangs.
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

  /** Resolves when its connections are closed and its term is over, after `stop`. A call to a node may still be open: its answer is dropped. */
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

  /** Takes what is shared. While that cannot be had the node is asked. */
  async #readShared(): Promise<void> {
    const [{ blocks, pollMs }, reader] = [this.#options, this.#reader];
    if (reader === undefined || !blocks.isUp()) return await this.#loseShared();
    // It is being connected.
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

  /** Until then no shared block is looked at: the one after those that are missing is the next. */
  async #waitForNode(): Promise<void> {
    await this.#pause(this.#options.pollMs());
    await this.#lookAtHead().catch(() => this.#loseShared());
  }

  async #loseShared(): Promise<void> {
    this.#become('own');
    await this.#pause(this.#options.pollMs());
  }

  /** Asks the node where shared blocks do not come. */
  async #readNode(): Promise<void> {
    const pollMs = this.#options.pollMs();
    const isQuiet = performance.now() - this.#heardAtMs >= this.#stallMs;
    const isLate = this.#lag.isLate(this.#published);
    if (this.#source === 'shared' && !isQuiet && !isLate) return await this.#pause(Math.min(pollMs, WAIT_MS));
    const { hasTaken, mayHaveMore } = await this.#chain.readNext();
    if (hasTaken) this.#become('own');
    // On a quiet ledger the node has nothing either.
    else this.#heardAtMs = performance.now();
    if (!mayHaveMore) await this.#pause(pollMs);
  }

  async #lookAtHead(): Promise<void> {
    const head = await this.#options.blocks.head();
    if (head === undefined || !(await this.#options.trusts(head.run))) return;
    const { slot } = this.#chain.tip;
    this.#published = head.slot;
    // Blocks that begin anew may begin below those that were looked at.
    if (head.run !== this.#run) this.#lookedAt = slot;
    this.#run = head.run;
    // Blocks after the tip were left out where the shared ones began anew.
    if (head.base > slot) this.#become('own');
    // The reader for all has come as far as this gateway did by itself.
    else if (head.slot >= slot && this.#isReadable && !this.#isFarBehind()) this.#become('shared');
  }

  /**
   * Takes a shared block. One that cannot be read, or is of another ledger, is asked of the node later. One before which too much is missing is
   * looked at again when the node has come near it.
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

  /** True while so much is missing before a shared block that the node is asked for it in order. */
  #isFarBehind(): boolean {
    return this.#parentSlot - this.#chain.tip.slot > MAX_MISSING_SLOTS;
  }

  /** Its own blocks descend from the shared ones, and those are too late. */
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
