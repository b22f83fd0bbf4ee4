import { openRedisLink, type RedisLinkOptions } from '../../base/redis-link.ts';
import { createRedisScript } from '../../base/redis-script.ts';
import type { SharedCounts } from './shared-counts.ts';
import { argumentsOf, COUNT_SCRIPT, readAnswer } from './count-script.ts';

/** The clock follows that of Redis in steps of at least this. */
const DRIFT_MS = 5;

export type RedisCountsOptions = Pick<RedisLinkOptions, 'url' | 'onUp' | 'onLost'> & {
  /** What the names of all keys begin with. */
  readonly prefix: string;
};

const count = createRedisScript(COUNT_SCRIPT);

/** Counts in Redis. They are connected in the background, as long and as often as needed. */
export type RedisCounts = SharedCounts & { readonly close: () => Promise<void> };

/** Opens counts in Redis. An answer that takes longer than 250 ms is lost, and so is Redis until it answers again. */
export function openRedisCounts({ prefix, ...options }: RedisCountsOptions): RedisCounts {
  const { isUp, ask, close } = openRedisLink(options);
  let offsetMs = Date.now() - performance.now();
  return {
    ...{ isUp, close },
    now: () => performance.now() + offsetMs,
    report: async (report) => {
      const { window, atMs } = await ask(async (client) =>
        readAnswer(
          await count(client, { keys: [`${prefix}limit:${report.name}`], arguments: argumentsOf(report) }),
        ),
      );
      const measured = atMs - performance.now();
      if (Math.abs(measured - offsetMs) > DRIFT_MS) offsetMs = measured;
      return window;
    },
  };
}
