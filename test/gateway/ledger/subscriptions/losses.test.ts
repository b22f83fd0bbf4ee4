import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rounds } from '../../../support/tier.ts';
import { history, watched } from './loss-history.ts';
import { playLosses } from './play-losses.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

test('however nodes lag, answer older states, hold back and are lost, nothing is left out without a gap', async () => {
  await fc.assert(
    fc.asyncProperty(watched, history, async (name, steps) => {
      expect(await playLosses(name, steps)).toEqual([]);
    }),
    { numRuns: rounds(2_000) },
  );
}, 900_000);
