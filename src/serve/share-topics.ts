import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { InstallationKey } from '../account/sealing/installation-key.ts';
import type { SharedTopicsMetrics } from '../gateway/streams/shared/shared-topics-metrics.ts';
import type { Store } from '../store/open-store.ts';
import type { Block } from '../gateway/streams/block/block.ts';
import { createLedgerNode } from '../gateway/streams/ledger-node.ts';
import { createReaderTerms } from '../gateway/streams/shared/reader-terms.ts';
import { openRedisBlocks } from '../gateway/streams/shared/redis-blocks.ts';
import { shareBlocks, type SharedNetwork } from '../gateway/streams/shared/share-blocks.ts';
import type { WatchedTopics } from './readiness.ts';
import type { ShareNetwork } from './start-ledgers.ts';

export type TopicsParts = {
  readonly config: Pick<Config, 'redis' | 'grpc'>;
  readonly store: Pick<Store, 'db'>;
  readonly installationKey: InstallationKey;
  readonly metrics: SharedTopicsMetrics;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Called with the packed reply of each shared block that is read. */
  readonly onBlock?: ((block: Block, packed: Buffer) => void) | undefined;
};

/** The shared blocks of all networks. */
export type SharedTopics = WatchedTopics & {
  readonly share: ShareNetwork;
  /** Ends the terms of this process. Close the hubs first. */
  readonly close: () => Promise<void>;
};

/** The most slots that a reader reads again to continue where another one ended, also while the pace of the network is unknown. */
const MAX_REACH_SLOTS = 300;

/** With Redis, shares the blocks of each network's nodes with the other gateways. Does not wait for Redis. Undefined: nothing is shared. */
export function shareTopics({
  config,
  store,
  installationKey,
  metrics,
  log,
  onBlock,
}: TopicsParts): SharedTopics | undefined {
  const { url, prefix, topics, topics_bytes: maxBytes } = config.redis;
  if (url === undefined || topics === 'own') return undefined;
  const { max_block_bytes: maxBlockBytes } = config.grpc;
  const redis = openRedisBlocks({
    url,
    prefix,
    maxBytes: Number(maxBytes),
    maxBlockBytes,
    onBlock,
    key: installationKey.derive('shared blocks'),
    onUp: () => log.info('Redis is there: blocks of topics are shared with the other servers'),
    onLost: (reason) =>
      log.warn(
        { reason },
        'Redis is lost: until it is back, this server reads the blocks of topics for itself',
      ),
  });
  const shared = new Map<string, SharedNetwork>();
  return {
    share: ({ label, upstream, child, nodes }, { maxAheadSlots }) => {
      // An embedded ledger is of this process alone.
      if (child !== undefined) return undefined;
      const network = shareBlocks({
        network: label,
        blocks: redis.of(label),
        createTerms: () => createReaderTerms(store, randomUUID()),
        reachSlots: () => Math.min(maxAheadSlots(), MAX_REACH_SLOTS),
        shownSlot: () => {
          const { confirmed } = nodes.best();
          return confirmed === 0 ? undefined : BigInt(confirmed);
        },
        openNode: (onReply) => createLedgerNode(upstream, maxBlockBytes, onReply),
      });
      metrics.watch(label, network.standing);
      shared.set(label, network);
      return network;
    },
    standings: () => [...shared].map(([network, { standing }]) => ({ network, ...standing() })),
    close: async () => {
      await Promise.all([...shared.values()].map(({ ended }) => ended()));
      await redis.close();
    },
  };
}
