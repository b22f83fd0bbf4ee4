import { STEPS } from '../rate-limit.ts';
import type { Report, SharedWindow } from './shared-counts.ts';

/**
 * Adds what a server used to the hash of a window (step: weight), forgets steps that are a window old, or a window ahead since the clock was
 * set back, allows a wish if there is room, and returns whether it did, the server's time in milliseconds, and each step with its weight.
 */
export const COUNT_SCRIPT = `
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

/** Returns the arguments of the script for a report. */
export function argumentsOf({ step, keepMs, used, wish }: Report): string[] {
  const fixed = [step, keepMs, wish?.weight ?? 0, wish?.burst ?? 0];
  return [...fixed, ...[...used].flat()].map(String);
}

/** Reads what the script returned: the window, and the time there in milliseconds. */
export function readAnswer(answer: unknown): { readonly window: SharedWindow; readonly atMs: number } {
  if (!Array.isArray(answer)) throw new TypeError('The count script of the limits returned no list');
  const [allowed, atMs, ...rest] = answer.map(Number);
  const steps = new Map<number, number>();
  for (let at = 0; at + 1 < rest.length; at += 2) steps.set(rest[at] ?? 0, rest[at + 1] ?? 0);
  return { window: { isAllowed: allowed === 1, steps }, atMs: atMs ?? 0 };
}
