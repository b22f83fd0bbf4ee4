import { Semaphore } from '../../../core/rpc/semaphore.ts';
import { Entry } from '../entry.ts';
import { EntryCache } from '../entry-cache.ts';
import { type FeedOptions, newestOf, type OpenFeed } from '../feed.ts';
import type { KeptBlocks } from '../kept-blocks.ts';
import type { PublishOptions } from './publish-blocks.ts';
import type { ReaderTerms } from './reader-terms.ts';
import { type CandidateOptions, runForReader } from './run-for-reader.ts';
import type { SharedBlocks } from './shared-blocks.ts';
import { type BlockSource, SharedFeed, type SharedFeedOptions } from './shared-feed.ts';

export type ShareOptions = Pick<PublishOptions, 'openNode' | 'reachSlots'> &
  Pick<SharedFeedOptions, 'stallMs' | 'shownSlot'> &
  Pick<CandidateOptions, 'failingMs' | 'leastTermMs'> & {
    readonly network: string;
    readonly blocks: SharedBlocks;
    /** Gives each feed its own candidate: a feed that ends leaves its own term, not that of the next feed. */
    readonly createTerms: () => ReaderTerms;
  };

/** The role of a gateway for the shared blocks of a network. */
export type SharedStanding = {
  readonly source: BlockSource;
  /** True while it reads the ledger for all. */
  readonly isReader: boolean;
};

/** The shared blocks of a network, for one gateway. */
export type SharedNetwork = {
  readonly openFeed: OpenFeed;
  readonly kept: KeptBlocks;
  readonly standing: () => SharedStanding;
  /** Resolves when stopped feeds no longer use Redis or the store. */
  readonly ended: () => Promise<void>;
};

/** Number of blocks that are read again at the same time. */
const PARALLEL_READS = 4;

/** Creates what a hub needs to share the blocks of a network with other gateways. */
export function shareBlocks(options: ShareOptions): SharedNetwork {
  const { blocks } = options;
  const reads = new Semaphore(PARALLEL_READS);
  let genesis: string | undefined;
  let trusted: string | undefined;
  let feed: SharedFeed | undefined;
  let standing: SharedStanding = { source: 'idle', isReader: false };

  const headOfLedger = async () => {
    const head = await blocks.head();
    return head?.genesis === genesis ? head : undefined;
  };
  const trusts = async (run: string): Promise<boolean> => {
    if (run !== trusted) trusted = (await headOfLedger())?.run;
    return run === trusted;
  };
  const readAfter = async (slot: bigint): Promise<Entry | undefined> => {
    const found = await blocks.firstAfter(slot);
    if (found === undefined || !(await trusts(found.run))) return undefined;
    const block = await found.read();
    return block.parentSlot > slot ? undefined : new Entry(block);
  };
  /** The streams of a lost gateway reconnect at the same time. */
  const atHand = new EntryCache<string>();
  /** Blocks of different runs are kept apart. */
  const after = (slot: bigint): Promise<Entry | undefined> => {
    const read = () => reads.withPermit(() => readAfter(slot));
    return trusted === undefined ? read() : atHand.get(`${trusted} ${slot}`, read);
  };
  const openFeed = async (feedOptions: FeedOptions): Promise<SharedFeed> => {
    const { identity, slot } = await newestOf(feedOptions);
    genesis = identity.genesis;
    trusted = undefined;
    const own: { -readonly [M in keyof SharedStanding]: SharedStanding[M] } = {
      source: 'idle',
      isReader: false,
    };
    standing = own;
    const candidate = {
      ...feedOptions,
      ...options,
      onReader: (isReader: boolean): void => {
        own.isReader = isReader;
      },
    };
    feed = new SharedFeed(
      {
        ...feedOptions,
        ...options,
        trusts,
        runForReader: (given) => runForReader({ ...candidate, ...given, terms: options.createTerms() }),
        onSource: (source) => {
          own.source = source;
        },
      },
      { slot, blockhash: undefined },
      identity,
    );
    return feed;
  };
  return {
    openFeed,
    kept: {
      base: async () => (await headOfLedger())?.base,
      after,
    },
    standing: () => standing,
    ended: async () => feed?.ended,
  };
}
