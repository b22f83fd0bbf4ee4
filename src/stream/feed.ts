import { setImmediate } from 'node:timers/promises';
import { type ServiceError, serviceError, toServiceError } from '../base/service-error.ts';
import { Semaphore } from '../rpc/semaphore.ts';
import type { Block } from './block/block.ts';
import { type LedgerNode, NodeRefusal } from './ledger-node.ts';
import { chainTo, changed, type Tip } from './next-blocks.ts';

export type FeedOptions = {
  readonly node: LedgerNode;
  readonly pollMs: () => number;
  /** Increases when the network's own ledger is restarted. */
  readonly generation: () => number;
  /** Called with each block, in order, without gaps. */
  readonly onBlock: (block: Block) => void;
  /** The ledger was replaced: no more blocks follow. */
  readonly onChanged: (error: ServiceError) => void;
  /** Called with each failure; the feed retries. */
  readonly onFailure: (error: ServiceError) => void;
};

/** Follows the ledger of a network. */
export type Feed = {
  /** Delivers the blocks after this slot. */
  readonly startSlot: bigint;
  /** Starts the feed; nothing is delivered before. */
  readonly run: () => void;
  readonly stop: () => void;
};

/** Number of blocks requested in one turn. */
const TURN_BLOCKS = 16;
/** Number of blocks read at the same time. */
const PARALLEL_BLOCKS = 4;
/** After this many turns without a block, the feed checks whether the ledger is still the same. */
const QUIET_TURNS = 5;

/**
 * Creates a feed that follows the ledger from its newest confirmed slot. It asks for the blocks after its last one, and so catches up with
 * a node that was away; failures are retried in the next turn.
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

/** Identifies a ledger. */
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

  /** @returns true if there may be more at once. Never rejects. */
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
    const reads = new Semaphore(PARALLEL_BLOCKS);
    const reading = slots.map((slot) => reads.withPermit(() => node.block(slot, finalizedSlot)));
    for (const block of reading) block.catch(() => undefined);
    try {
      for (const block of reading) {
        for (const next of await chainTo(node, this.#tip, await block, finalizedSlot)) {
          if (this.#isStopped) return false;
          this.#tip = next;
          this.#options.onBlock(next);
          // Lets readers that keep up take each block before the next one.
          await setImmediate();
        }
      }
    } finally {
      // If one fails, the others must not pile up behind those of the next turn.
      await Promise.allSettled(reading);
    }
    return slots.length === TURN_BLOCKS;
  }

  /** A ledger that was restarted is below the old one, and may need days to catch up. */
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

/** A refusal by the node counts as its failure: these calls are made by the service itself. */
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
