import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { history, watched } from './loss-history.ts';
import { playLosses } from './play-losses.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

test('so it is in 10,000 histories', async () => {
  await fc.assert(
    fc.asyncProperty(watched, history, async (name, steps) => {
      expect(await playLosses(name, steps)).toEqual([]);
    }),
    { numRuns: 10_000 },
  );
}, 900_000);
