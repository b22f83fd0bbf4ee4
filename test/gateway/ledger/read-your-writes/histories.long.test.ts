import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useChainTime } from '../../nodes/pool/chain-pool.ts';
import { history } from './history.ts';
import { playHistory } from './play-history.ts';

useChainTime();

test('so it is in 1,000 histories', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      expect(await playHistory(steps)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
}, 600_000);
