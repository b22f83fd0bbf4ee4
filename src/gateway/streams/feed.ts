import { type ServiceError, serviceError, toServiceError } from '../../core/service-error.ts';
import { ChainFollower, type ChainFollowerOptions, type Identity } from './chain-follower.ts';
import { NodeRefusal } from './ledger-node.ts';
import type { Tip } from './next-blocks.ts';

export type FeedOptions = ChainFollowerOptions & {
  readonly pollMs: () => number;
  /** The ledger was replaced: no more blocks follow. */
  readonly onChanged: (error: ServiceError) => void;
  /** Called with each failure; the feed retries. */
  readonly onFailure: (error: ServiceError) => void;
};

/** Follows the ledger of a network. */
export type Feed = {
  /** Delivers the blocks after this slot. */
  readonly startSlot: bigint;
  /** Hash of the first block of the ledger. */
  readonly genesis: string;
  /** Starts the feed; nothing is delivered before. */
  readonly run: () => void;
  readonly stop: () => void;
};

/** Opens a feed. @throws ServiceError when the starting point cannot be determined. */
export type OpenFeed = (options: FeedOptions) => Promise<Feed>;

/**
 * Creates a feed that follows the ledger from its newest confirmed slot. It asks for the blocks after its last one, so it catches up
 * after a node was away; failures are retried in the next turn.
 *
 * @throws ServiceError `upstreamUnavailable` and the like: the ledger cannot be reached.
 */
export async function openFeed(options: FeedOptions): Promise<Feed> {
  const { identity, slot } = await newestOf(options);
  return createFeed(options, { slot, blockhash: undefined }, identity);
}

/** Creates a feed that follows the ledger from a tip. */
export function createFeed(options: FeedOptions, tip: Tip, identity: Identity): Feed {
  const chain = new ChainFollower(options, tip, identity);
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    chain.stop();
    clearTimeout(timer);
  };
  const run = (): void => {
    void turn(chain, options, stop).then((isBehind) => {
      if (chain.isStopped) return;
      if (isBehind) run();
      else timer = setTimeout(run, options.pollMs());
    });
  };
  return { startSlot: tip.slot, genesis: identity.genesis, run, stop };
}

/** Reads the identity of the node's ledger and its newest confirmed slot. @throws ServiceError when the node cannot be reached. */
export async function newestOf({ node, generation }: Pick<FeedOptions, 'node' | 'generation'>) {
  const identity: Identity = { generation: generation(), genesis: await asServiceError(node.genesisHash()) };
  return { identity, slot: await asServiceError(node.confirmedSlot()) };
}

/** @returns true if there may be more at once. Never rejects. */
async function turn(
  chain: ChainFollower,
  { onFailure, onChanged }: Pick<FeedOptions, 'onFailure' | 'onChanged'>,
  stop: () => void,
): Promise<boolean> {
  try {
    return (await chain.readNext()).mayHaveMore;
  } catch (thrown) {
    if (chain.isStopped) return false;
    const error = fromNode(thrown);
    if (error.code !== 'ledgerChanged') {
      onFailure(error);
      return false;
    }
    stop();
    onChanged(error);
    return false;
  }
}

/** A refusal by the node counts as its failure: the service itself makes these calls. */
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
