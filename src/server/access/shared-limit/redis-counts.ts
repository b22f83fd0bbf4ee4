import { openRedisLink, type RedisLinkOptions } from '../../../core/redis/redis-link.ts';
import { createRedisScript } from '../../../core/redis/redis-script.ts';
import type { SharedCounts, Report, SharedWindow } from './shared-counts.ts';
import { STEPS } from '../rate-limit.ts';

/**
 * Adds what a server used to the hash of a window (step: weight), forgets steps that are a window old, or a window ahead since the clock was
 * set back, allows a wish if there is room, and returns whether it did, the server's time in milliseconds, and each step with its weight.
 */
const COUNT_SCRIPT = `
local key, step, keep_ms, weight, burst = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
for at = 5, #ARGV, 2 do redis.call('HINCRBY', key, ARGV[at], ARGV[at + 1]) end
local function sum()
  local total, live, stored = 0, {}, redis.call('HGETALL', key)
  for at = 1, #stored, 2 do
    if math.abs(tonumber(stored[at]) - tonumber(step)) >= ${STEPS} then redis.call('HDEL', key, stored[at])
    else
      total = total + tonumber(stored[at + 1])
      live[#live + 1] = stored[at]
      live[#live + 1] = stored[at + 1]
    end
  end
  return total, live
end
local total, live = sum()
local allowed = 0
if weight > 0 and total + weight <= burst then
  redis.call('HINCRBY', key, step, weight)
  allowed = 1
  total, live = sum()
end
redis.call('PEXPIRE', key, keep_ms)
local time = redis.call('TIME')
return { allowed, time[1] * 1000 + math.floor(time[2] / 1000), unpack(live) }
`;

/** Returns the script's arguments for a report. */
function argumentsOf({ step, keepMs, used, wish }: Report): string[] {
  const fixed = [step, keepMs, wish?.weight ?? 0, wish?.burst ?? 0];
  return [...fixed, ...[...used].flat()].map(String);
}

/** Reads what the script returned: the window, and the time there in milliseconds. */
function readAnswer(answer: unknown): { readonly window: SharedWindow; readonly atMs: number } {
  if (!Array.isArray(answer)) throw new TypeError('the rate limit script returned no list');
  const [allowed, atMs, ...rest] = answer.map(Number);
  const steps = new Map<number, number>();
  for (let at = 0; at + 1 < rest.length; at += 2) steps.set(rest[at] ?? 0, rest[at + 1] ?? 0);
  return { window: { isAllowed: allowed === 1, steps }, atMs: atMs ?? 0 };
}

export type RedisCountsOptions = Pick<RedisLinkOptions, 'url' | 'onUp' | 'onLost' | 'answerMs'> & {
  /** Prefix of the names of all Redis keys. */
  readonly prefix: string;
};

const count = createRedisScript(COUNT_SCRIPT);

/** Counts in Redis. They connect, and reconnect, in the background. */
export type RedisCounts = SharedCounts & { readonly close: () => Promise<void> };

/**
 * Opens counts in Redis. If an answer takes longer than `answerMs` (250 ms by default), Redis counts as lost until it answers again. Its
 * time is read before anything is reported to it: steps of another clock would make those of other servers look old.
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
    // A failure counts as a loss, after which Redis connects again.
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
 * Returns the offset to another clock, which read a time in whole milliseconds between the request and the arrival of its answer. The
 * offset stays as it is while that is consistent with it; a late answer sets nothing back.
 */
export function nearestOffset(
  offsetMs: number,
  { atMs, sentMs, readMs }: { readonly atMs: number; readonly sentMs: number; readonly readMs: number },
): number {
  return Math.min(Math.max(offsetMs, atMs - readMs), atMs + 1 - sentMs);
}
