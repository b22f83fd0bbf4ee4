import { setImmediate } from 'node:timers/promises';
import { Semaphore } from '../../core/rpc/semaphore.ts';
import type { Block } from './block/block.ts';
import type { LedgerNode } from './ledger-node.ts';
import { chainTo, changed, type Tip } from './next-blocks.ts';

export type ChainFollowerOptions = {
  readonly node: LedgerNode;
  /** Increases when the network's own ledger is restarted. */
  readonly generation: () => number;
  /** Called with each block, in order, without gaps. A block counts as taken when it resolves; a rejected block comes again. */
  readonly onBlock: (block: Block) => void | Promise<void>;
};

/** Identifies a ledger. */
export type Identity = { readonly generation: number; readonly genesis: string };

/** The outcome of one read after the tip. */
export type Reading = {
  /** A block was taken. */
  readonly hasTaken: boolean;
  /** There may be more at once. */
  readonly mayHaveMore: boolean;
};

/** Number of blocks requested in one turn. */
const TURN_BLOCKS = 16;
/** Number of blocks read at the same time. */
const PARALLEL_BLOCKS = 4;
/** After this many turns without a block, the identity of the ledger is checked. */
const QUIET_TURNS = 5;

/** Follows one chain of blocks from a tip: each block descends from the one before it, whatever its source. */
export class ChainFollower {
  readonly #options: ChainFollowerOptions;
  readonly #identity: Identity;
  #tip: Tip;
  /** One chain of blocks at a time. */
  readonly #taking = new Semaphore(1);
  #quietTurns = 0;
  #isStopped = false;

  constructor(options: ChainFollowerOptions, tip: Tip, identity: Identity) {
    this.#options = options;
    this.#tip = tip;
    this.#identity = identity;
  }

  get tip(): Tip {
    return this.#tip;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Takes no more blocks. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Takes the blocks that the node has after the tip.
   *
   * @throws ServiceError `ledgerChanged` when the ledger was replaced, or an error of the node or of `onBlock`: try again.
   */
  async readNext(): Promise<Reading> {
    const { node } = this.#options;
    const slots = await node.slotsFrom(this.#tip.slot + 1n, TURN_BLOCKS);
    if (slots.length === 0) {
      await this.#watchIdentity();
      return { hasTaken: false, mayHaveMore: false };
    }
    this.#quietTurns = 0;
    const finalizedSlot = await node.finalizedSlot();
    const reads = new Semaphore(PARALLEL_BLOCKS);
    const reading = slots.map((slot) => reads.withPermit(() => node.block(slot, finalizedSlot)));
    for (const block of reading) block.catch(() => undefined);
    let hasTaken = false;
    try {
      for (const block of reading) if (await this.take(await block, finalizedSlot)) hasTaken = true;
    } finally {
      // If one fails, the others must not pile up behind those of the next turn.
      await Promise.allSettled(reading);
    }
    return { hasTaken, mayHaveMore: !this.#isStopped && slots.length === TURN_BLOCKS };
  }

  /**
   * Takes a later block, after asking the node for the missing ones before it. A block that is not after the tip is ignored. Others
   * may be taken meanwhile: a node that hangs delays only the blocks that need it.
   *
   * @returns true if a block was taken.
   * @throws as `readNext`.
   */
  async take(block: Block, finalizedSlot: bigint): Promise<boolean> {
    for (;;) {
      const from = this.#tip;
      if (this.#isStopped || block.slot <= from.slot) return false;
      const chain = await this.#chainTo(from, block, finalizedSlot);
      const isTaken = chain && (await this.#taking.withPermit(() => this.#append(from, chain)));
      if (isTaken !== undefined) return isTaken;
    }
  }

  /** Undefined: other blocks were taken meanwhile, or the follower has stopped. No more blocks are read then. */
  async #chainTo(from: Tip, block: Block, finalizedSlot: bigint): Promise<readonly Block[] | undefined> {
    const isCurrent = (): boolean => this.#tip === from && !this.#isStopped;
    const readBlock: LedgerNode['block'] = async (...given) => {
      if (!isCurrent()) throw new Error('the tip has changed');
      return await this.#options.node.block(...given);
    };
    try {
      return await chainTo({ block: readBlock }, from, block, finalizedSlot);
    } catch (error) {
      if (isCurrent()) throw error;
      return undefined;
    }
  }

  /** Undefined: other blocks were taken meanwhile. */
  async #append(from: Tip, chain: readonly Block[]): Promise<boolean | undefined> {
    if (this.#tip !== from) return undefined;
    for (const next of chain) {
      if (this.#isStopped) return false;
      await this.#options.onBlock(next);
      this.#tip = next;
      // Lets readers that keep up take each block before the next one.
      await setImmediate();
    }
    return true;
  }

  /** A restarted ledger is below the old one, and may need days to catch up. */
  async #watchIdentity(): Promise<void> {
    if (++this.#quietTurns % QUIET_TURNS !== 0) return;
    const { node, generation } = this.#options;
    const confirmedSlot = await node.confirmedSlot();
    if (confirmedSlot >= this.#tip.slot) return;
    const isSame =
      generation() === this.#identity.generation && (await node.genesisHash()) === this.#identity.genesis;
    if (!isSame) throw changed(this.#tip);
  }
}
