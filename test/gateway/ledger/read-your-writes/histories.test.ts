import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../support/tier.ts';
import { useChainTime } from '../../nodes/pool/chain-pool.ts';
import { history } from './history.ts';
import { playHistory, type Step } from './play-history.ts';

useChainTime();

const hangs = { lag: 0, forked: 0, fault: 'hangs' } as const;
const sound = { ...hangs, fault: undefined };
const read = { key: 'k1', commitment: 'processed' } as const;
/** The node asked hangs for good, and the only other one that has the slot answers again after the patience of the call. */
const BACK_LATER: readonly Step[] = [
  { kind: 'change', node: 1, ...hangs },
  { kind: 'batch', ...read },
  { kind: 'pass', ms: 1_100 },
  { kind: 'batch', ...read },
  { kind: 'change', node: 0, ...hangs },
  { kind: 'pass', ms: 1_100 },
  { kind: 'change', node: 2, ...sound, lag: 200 },
  { kind: 'change', node: 1, ...sound },
  { kind: 'batch', ...read },
];

test('in any history no read is behind what its key has seen, none fails that a node could answer, no transaction is sent twice', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      expect(await playHistory(steps)).toEqual([]);
    }),
    { numRuns: rounds(300), examples: [[BACK_LATER]] },
  );
}, 600_000);
