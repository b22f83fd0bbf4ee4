import type { RateLimit } from './rate-limit.ts';
import { SlidingWindow } from './sliding-window.ts';
import { createWindows } from './windows.ts';

/** Creates the rate limit of one process, in memory. `now` does not go back, whatever becomes of the system's clock. */
export function createMemoryRateLimit(now: () => number = () => performance.now()): RateLimit {
  const windows = createWindows(now, (_keyId, plan) => new SlidingWindow(plan));
  return {
    take: async (keyId, plan, weight) => windows.of(keyId, plan).take(now(), weight),
    look: async (keyId, plan) => windows.of(keyId, plan).look(now(), 1),
  };
}
