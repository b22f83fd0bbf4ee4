import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapInOrder } from '../../src/signer/map-in-order.ts';

test('results are in the order of the items, with a number of them under way', async () => {
  let running = 0;
  let most = 0;
  const results = await mapInOrder([3, 1, 2], 2, async (turns) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    running -= 1;
    return turns * 10;
  });
  expect([results, most]).toEqual([[30, 10, 20], 2]);
});

test('a failure is thrown when what was under way is over, and nothing is begun after it', async () => {
  const events: string[] = [];
  const mapping = mapInOrder(['slow', 'broken', 'never'], 2, async (name) => {
    events.push(name);
    if (name === 'broken') throw new Error(name);
    await nextTurn();
    events.push(`${name} ends`);
  });
  await expect(mapping).rejects.toThrow('broken');
  expect(events).toEqual(['slow', 'broken', 'slow ends']);
});
