import { expect, test } from 'vitest';
import type { Network } from '../../src/serve/start-network.ts';
import { watchedNetwork } from '../../src/serve/start-serving.ts';

/** The newest slot as the account service shows it, of nodes with these slots after this announcement. */
function newestSlot(slots: readonly (number | null)[], announced?: number): number | undefined {
  const nodes = { statuses: () => slots.map((slot) => ({ slot })) };
  const network = { config: {}, drift: {}, nodes, pace: { newestSlot: announced } };
  return watchedNetwork(network as unknown as Network).newestSlot();
}

test('the newest slot is that of the nodes while none announces slots, and the newest of both while one does', () => {
  expect(newestSlot([])).toBeUndefined();
  expect(newestSlot([null, null])).toBeUndefined();
  expect(newestSlot([7, null, 5])).toBe(7);
  expect(newestSlot([null], 9)).toBe(9);
  expect(newestSlot([7], 9)).toBe(9);
  expect(newestSlot([0])).toBe(0);
});
