import { ServiceError } from '../../../core/service-error.ts';
import type { Block } from '../block/block.ts';
import { createFeed, type FeedOptions, newestOf } from '../feed.ts';
import type { LedgerNode } from '../ledger-node.ts';
import type { ReaderTerm } from './reader-terms.ts';
import type { SharedBlocks } from './shared-blocks.ts';

export type PublishOptions = Pick<FeedOptions, 'generation' | 'pollMs'> & {
  readonly blocks: Pick<SharedBlocks, 'claim' | 'append'>;
  /** Opens a node that passes on the reply of each block. */
  readonly openNode: (onReply: (block: Block, reply: Buffer) => void) => LedgerNode;
  /** The shared blocks continue if their end is at most this many slots behind the newest; below zero: they start over. */
  readonly reachSlots: () => number;
  /** The term as it was last renewed. */
  readonly term: () => ReaderTerm;
  /** Called before the node is asked for blocks. */
  readonly onAsked: () => void;
  /** Called when a block is appended, and when the node has no new one. */
  readonly onProgress: () => void;
  /** Called with each failure of the node; it is asked again. */
  readonly onFailure: (error: ServiceError) => void;
  /** Called when the shared blocks are on a fork that the node has abandoned. */
  readonly onFork: () => void;
};

/** Reads a ledger for all gateways. */
export type Publisher = {
  /** True when it is over: the term ended, Redis was lost, or the ledger was replaced. The next publisher continues from there. */
  readonly hasEnded: () => boolean;
  readonly stop: () => void;
};

/** Thrown when nothing was written: no block counts as taken. */
class NotAppended extends Error {
  override readonly name = 'NotAppended';
}

/**
 * Appends the blocks of a network to the shared ones. A block is appended only during the term, checked by the local clock and by the
 * term number in Redis: a process that was suspended meanwhile writes nothing.
 */
export function publishBlocks(options: PublishOptions): Publisher {
  const { blocks, term } = options;
  const replies = new WeakMap<Block, Buffer>();
  const opened = options.openNode((block, reply) => void replies.set(block, reply));
  const node: LedgerNode = {
    ...opened,
    slotsFrom: async (start, limit) => {
      options.onAsked();
      const slots = await opened.slotsFrom(start, limit);
      if (slots.length === 0) options.onProgress();
      return slots;
    },
  };
  let isOver = false;
  let stopFeed = (): void => undefined;
  const end = (): void => {
    isOver = true;
    stopFeed();
  };
  const append = async (block: Block): Promise<boolean> => {
    const { number, untilMs } = term();
    const reply = replies.get(block);
    if (isOver || reply === undefined || performance.now() >= untilMs) return false;
    try {
      return (await blocks.append({ term: number, block, reply })) === 'taken';
    } catch {
      // Redis is lost, and its connection reports that. Once it is back, it shows whether it has the block.
      return false;
    }
  };
  const onBlock = async (block: Block): Promise<void> => {
    if (await append(block)) return options.onProgress();
    end();
    throw new NotAppended();
  };
  const begin = async (): Promise<void> => {
    options.onAsked();
    const { identity, slot } = await newestOf({ node, generation: options.generation });
    const reachSlots = options.reachSlots();
    const claim = { term: term().number, genesis: identity.genesis, newestSlot: slot, reachSlots };
    const tip = await blocks.claim(claim);
    if (tip === undefined || isOver) return end();
    const onChanged = (): void => {
      options.onFork();
      end();
    };
    const feed = createFeed({ ...options, node, onBlock, onChanged }, tip, identity);
    stopFeed = feed.stop;
    feed.run();
  };
  begin().catch((error: unknown) => {
    if (error instanceof ServiceError) options.onFailure(error);
    end();
  });
  return { hasEnded: () => isOver, stop: end };
}
