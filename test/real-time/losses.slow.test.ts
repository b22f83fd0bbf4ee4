import { expect, onTestFinished, test } from 'vitest';
import { rounds } from '../support/tier.ts';
import { startLosses } from './losses.ts';

const SOCKETS = 200;
const LOSSES = rounds(100);
/** For what hangs, as `PATIENCE_MS` is. */
const TEST_MS = 1_200_000;

test(
  `${LOSSES} losses of the node, while ${SOCKETS} sockets hold ${SOCKETS * 10} subscriptions: no unannounced gap, no duplicate, no reordering; streams have no hole`,
  async () => {
    const { crowd, lose, findFaults, stop } = await startLosses({ sockets: SOCKETS, slotMs: 100 });
    onTestFinished(stop);
    for (let turn = 0; turn < LOSSES; turn += 1) await lose();
    expect((await findFaults()).faults.slice(0, 20)).toEqual([]);
    // Without gaps nothing would have been lost, and this would hold of anything.
    expect(crowd.gaps()).toBeGreaterThan(SOCKETS);
  },
  TEST_MS,
);
