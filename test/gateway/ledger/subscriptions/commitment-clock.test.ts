import { onTestFinished, expect, test } from 'vitest';
import { CommitmentClock } from '../../../../src/gateway/ledger/subscriptions/commitment-clock.ts';
import type { AskedNode } from '../../../../src/gateway/ledger/subscriptions/node-reads.ts';

/** A node that is at one slot at every commitment. */
function nodeAt(slot: number): AskedNode {
  return {
    isCurrent: () => true,
    limitMs: 10_000,
    pace: { slotsIn: () => undefined },
    upstream: {
      send: async () => ({
        kind: 'whole',
        isError: false,
        body: Buffer.from(`{"jsonrpc":"2.0","result":${slot},"id":1}`),
      }),
      close: async () => undefined,
    },
  };
}

test('what one node had confirmed says nothing of what the next one has notified', async () => {
  const clock = new CommitmentClock({ slotsIn: () => undefined });
  onTestFinished(() => clock.follow(undefined));
  clock.follow(nodeAt(100));
  expect(await clock.latest('confirmed')).toBe(100);
  clock.follow(undefined);
  expect(clock.settled('confirmed', 150)).toBe(92);
  clock.follow(nodeAt(60));
  expect(clock.settled('confirmed', 150)).toBeUndefined();
  expect(await clock.latest('confirmed')).toBe(60);
});
