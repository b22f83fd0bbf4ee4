import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { SharedLimitMetrics } from '../gate/limit-metrics.ts';
import { createMemoryRateLimit } from '../gate/memory-rate-limit.ts';
import type { RateLimit } from '../gate/rate-limit.ts';
import { openRedisCounts } from '../gate/shared-limit/redis-counts.ts';
import { createSharedRateLimits } from '../gate/shared-limit/shared-rate-limits.ts';

/** The limits of this process, one for each use of keys and accounts. */
export type RateLimits = {
  readonly of: (use: 'call' | 'wallet-create' | 'wallet-use' | 'account') => RateLimit;
  /** Reports to the other servers what they do not know yet. */
  readonly close: () => Promise<void>;
};

export type RateLimitParts = {
  readonly config: Pick<Config, 'redis'>;
  readonly metrics: SharedLimitMetrics;
  readonly log: Logger;
};

/** Creates limits in memory; with Redis, limits that all servers share. Does not wait for Redis. */
export function startRateLimits({ config, metrics, log }: RateLimitParts): RateLimits {
  const { url, prefix, limits_when_lost: whenLost } = config.redis;
  if (url === undefined) return { of: () => createMemoryRateLimit(), close: async () => undefined };
  const counts = openRedisCounts({
    ...{ url, prefix },
    onUp: () => log.info('Redis is there: limits are shared with the other servers'),
    onLost: (reason) => {
      metrics.countLoss();
      log.warn({ reason }, LOST[whenLost]);
    },
  });
  metrics.watchShared(counts.isUp);
  const shared = createSharedRateLimits(counts, whenLost);
  const close = async (): Promise<void> => {
    await shared.close();
    await counts.close();
  };
  return { of: shared.of, close };
}

const LOST = {
  open: 'Redis is lost: until it is back, this server limits keys and accounts alone',
  closed: 'Redis is lost: until it is back, requests are refused (redis.limits_when_lost)',
};
