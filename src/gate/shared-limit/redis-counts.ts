import { openRedisLink, type RedisLinkOptions } from '../../base/redis-link.ts';
import { createRedisScript } from '../../base/redis-script.ts';
import type { SharedCounts } from './shared-counts.ts';
import { argumentsOf, COUNT_SCRIPT, readAnswer } from './count-script.ts';

export type RedisCountsOptions = Pick<RedisLinkOptions, 'url' | 'onUp' | 'onLost' | 'answerMs'> & {
  /** What the names of all keys begin with. */
  readonly prefix: string;
};

const count = createRedisScript(COUNT_SCRIPT);

/** Counts in Redis. They are connected in the background, as long and as often as needed. */
export type RedisCounts = SharedCounts & { readonly close: () => Promise<void> };

/**
 * Opens counts in Redis. An answer that takes longer than `answerMs` (250 ms by default) is lost, and so is Redis until
 * it answers again. It is asked for its time before anything is reported to it: steps of another clock would make those of other servers look old.
 */
export function openRedisCounts({ prefix, url, onUp, onLost, answerMs }: RedisCountsOptions): RedisCounts {
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
    answerMs,
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
      let sentMs = performance.now();
      const { window, atMs } = await ask(async (client) => {
        sentMs = performance.now();
        const sent = { keys: [`${prefix}limit:${report.name}`], arguments: argumentsOf(report) };
        return readAnswer(await count(client, sent));
      });
      offsetMs = nearestOffset(offsetMs, { atMs, sentMs, readMs: performance.now() });
      return window;
    },
  };
}

/**
 * Follows another clock, which said a time in whole milliseconds between when it was asked and when the answer was read: the offset is left as
 * it is as long as that is so with it. An answer that was read late sets nothing back.
 */
export function nearestOffset(
  offsetMs: number,
  { atMs, sentMs, readMs }: { readonly atMs: number; readonly sentMs: number; readonly readMs: number },
): number {
  return Math.min(Math.max(offsetMs, atMs - readMs), atMs + 1 - sentMs);
}
