import { setImmediate } from 'node:timers/promises';
import { type ServiceError, serviceError, toServiceError } from '../base/service-error.ts';
import type { Block } from './block/block.ts';
import { type LedgerNode, NodeRefusal } from './ledger-node.ts';
import { chainTo, changed, type Tip } from './next-blocks.ts';
import { createTurns } from './turns.ts';

export type FeedOptions = {
  readonly node: LedgerNode;
  readonly pollMs: () => number;
  /** Grows when the network's own ledger was started again. */
  readonly generation: () => number;
  /** Told of each block, in order, without a hole. */
  readonly onBlock: (block: Block) => void;
  /** The ledger is another one: nothing comes any more. */
  readonly onChanged: (error: ServiceError) => void;
  /** Told of what fails; it is tried again. */
  readonly onFailure: (error: ServiceError) => void;
};

/** What follows the ledger of a network. */
export type Feed = {
  /** Blocks after this slot come. */
  readonly startSlot: bigint;
  /** Begins; nothing comes before. */
  readonly run: () => void;
  readonly stop: () => void;
};

/** Blocks that are asked for in one turn. */
const TURN_BLOCKS = 16;
/** Those that are read at the same time. */
const PARALLEL_BLOCKS = 4;
/** So many turns without a block, and the ledger is asked whether it is still the same. */
const QUIET_TURNS = 5;

/**
 * Makes a feed that follows the ledger from its newest confirmed slot on. It asks what comes after the last block it has, so that a node that
 * was away is caught up with; a failure is tried again in the next turn.
 *
 * @throws ServiceError `upstreamUnavailable` and the like: the ledger cannot be reached.
 */
export async function openFeed(options: FeedOptions): Promise<Feed> {
  const { node, generation } = options;
  const [startGeneration, genesis, startSlot] = [
    generation(),
    await asServiceError(node.genesisHash()),
    await asServiceError(node.confirmedSlot()),
  ];
  const follower = new Follower(options, startSlot, { generation: startGeneration, genesis });
  return { startSlot, run: () => follower.run(), stop: () => follower.stop() };
}

/** What tells one ledger from another. */
type Identity = { readonly generation: number; readonly genesis: string };

class Follower {
  readonly #options: FeedOptions;
  readonly #identity: Identity;
  #tip: Tip;
  #timer: NodeJS.Timeout | undefined;
  #quietTurns = 0;
  #isStopped = false;

  constructor(options: FeedOptions, startSlot: bigint, identity: Identity) {
    this.#options = options;
    this.#tip = { slot: startSlot, blockhash: undefined };
    this.#identity = identity;
  }

  run(): void {
    void this.#turn().then((isBehind) => {
      if (this.#isStopped) return;
      if (isBehind) this.run();
      else this.#timer = setTimeout(() => this.run(), this.#options.pollMs());
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** @returns whether there may be more at once. Never rejects. */
  async #turn(): Promise<boolean> {
    const { onFailure, onChanged } = this.#options;
    try {
      return await this.#readNext();
    } catch (thrown) {
      if (this.#isStopped) return false;
      const error = fromNode(thrown);
      if (error.code !== 'ledgerChanged') {
        onFailure(error);
        return false;
      }
      this.stop();
      onChanged(error);
      return false;
    }
  }

  async #readNext(): Promise<boolean> {
    const { node } = this.#options;
    const slots = await node.slotsFrom(this.#tip.slot + 1n, TURN_BLOCKS);
    if (slots.length === 0) {
      await this.#watchIdentity();
      return false;
    }
    this.#quietTurns = 0;
    const finalizedSlot = await node.finalizedSlot();
    const takeTurn = createTurns(PARALLEL_BLOCKS);
    const reading = slots.map((slot) => takeTurn(() => node.block(slot, finalizedSlot)));
    for (const block of reading) block.catch(() => undefined);
    try {
      for (const block of reading) {
        for (const next of await chainTo(node, this.#tip, await block, finalizedSlot)) {
          if (this.#isStopped) return false;
          this.#tip = next;
          this.#options.onBlock(next);
          // Readers that keep up have each block before the next one.
          await setImmediate();
        }
      }
    } finally {
      // Where one fails, the others do not pile up behind those of the next turn.
      await Promise.allSettled(reading);
    }
    return slots.length === TURN_BLOCKS;
  }

  /** A ledger that began anew is below where the old one was, and may need days to get there. */
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

/** What a node refuses is a failure of the node here: the calls are ours. */
export function fromNode(thrown: unknown): ServiceError {
  if (thrown instanceof NodeRefusal) return serviceError('upstreamBroken', {}, thrown);
  return toServiceError(thrown);
}

async function asServiceError<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (thrown) {
    throw fromNode(thrown);
  }
}
