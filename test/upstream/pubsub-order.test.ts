import { expect, test } from 'vitest';
import { inOrder } from '../../src/upstream/pubsub-link.ts';

const node = (name: string, isHealthy: boolean, lagSlots: number, order?: number) => ({
  ...{ name, rank: { isHealthy, lagSlots } },
  known: { order },
});

test('subscriptions are made at a healthy node first, then at the newest, then at the one that is ahead', () => {
  const nodes = [
    node('degraded, ahead', false, 0, 5),
    node('behind by 8', true, 8, 4),
    node('unknown', true, 0),
    node('behind by 4', true, 4, 4),
    node('newest, behind by 20', true, 20, 5),
  ];
  expect(inOrder(nodes).map(({ name }) => name)).toEqual([
    ...['newest, behind by 20', 'behind by 4', 'behind by 8', 'unknown', 'degraded, ahead'],
  ]);
});
