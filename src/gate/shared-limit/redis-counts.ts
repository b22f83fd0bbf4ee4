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

/**
 * Opens counts in Redis. An answer that takes longer than 250 ms is lost, and so is Redis until it answers again. It is asked for its time before
 * anything is reported to it: steps of another clock would make those of other servers look old.
 */
export function openRedisCounts({ prefix, url, onUp, onLost }: RedisCountsOptions): RedisCounts {
  let offsetMs = Date.now() - performance.now();
  let hasTime = false;
  const readTime = async (): Promise<void> => {
    const [seconds, micros] = await ask(
      async (client) => (await client.sendCommand(['TIME'])) as unknown as string[],
    );
    offsetMs = Number(seconds) * 1_000 + Number(micros) / 1_000 - performance.now();
    hasTime = true;
    onUp();
  };
  const { isUp, ask, close } = openRedisLink({
    url,
    // One that fails is a loss, after which Redis is there again.
    onUp: () => void readTime().catch(() => undefined),
    onLost: (reason) => {
      hasTime = false;
      onLost(reason);
    },
  });
  return {
    isUp: () => hasTime && isUp(),
    close,
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
