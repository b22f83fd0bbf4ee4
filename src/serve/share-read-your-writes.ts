import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { InstallationKey } from '../account/sealing/installation-key.ts';
import type { ReadYourWritesMetrics } from '../gateway/ledger/read-your-writes/read-your-writes-metrics.ts';
import {
  nameReaders,
  openRedisSeen,
  startSeenReports,
} from '../gateway/ledger/read-your-writes/redis-seen.ts';
import type { Network } from './start-network.ts';

export type ReadYourWritesParts = {
  readonly config: Pick<Config, 'redis' | 'upstream'>;
  readonly networks: readonly Pick<Network, 'label' | 'readYourWrites'>[];
  readonly installationKey: InstallationKey;
  readonly metrics: ReadYourWritesMetrics;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/**
 * With Redis, shares with other gateways the highest slots that readers were shown. Call it before there are readers. Does not wait for Redis.
 *
 * @returns a function that sends the waiting reports, and stops; undefined where nothing is shared.
 */
export function shareReadYourWrites({
  config,
  networks,
  installationKey,
  metrics,
  log,
}: ReadYourWritesParts): (() => Promise<void>) | undefined {
  const { url, prefix } = config.redis;
  const shared = new Map(
    networks.flatMap(({ label, readYourWrites }) =>
      readYourWrites === undefined ? [] : [[label, readYourWrites] as const],
    ),
  );
  if (url === undefined || !config.upstream.own_reads || shared.size === 0) return undefined;
  const redis = openRedisSeen({
    url,
    prefix,
    onReport: ({ network, seen }, ageMs) => {
      for (const each of seen) shared.get(network)?.learn(each, ageMs);
    },
    onUp: () => log.info('Redis is there: readers see at other gateways what they have seen at this one'),
    onLost: (reason) =>
      log.warn(
        { reason },
        'Redis is lost: until it is back, other gateways may show readers less than this one',
      ),
  });
  metrics.watchShared(redis.isUp);
  const reports = startSeenReports(shared, redis, {
    nameOf: nameReaders(installationKey.derive('names of readers')),
    nowMs: () => performance.now(),
  });
  return async () => {
    await reports.close();
    await redis.close();
  };
}
