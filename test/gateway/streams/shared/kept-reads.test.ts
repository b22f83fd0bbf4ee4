import { expect, test } from 'vitest';
import { createScriptedLedger } from '../scripted-ledger.ts';
import { createScriptedBlocks, feedOptions, openShared } from './scripted-blocks.ts';

test('a stream that resumes waits for a block that is slow to read, whatever others read meanwhile', async () => {
  // Two of them fit in the memory for blocks that were read again.
  const ledger = createScriptedLedger(100, () => ({ sizeBytes: 6 * 2 ** 20 }));
  ledger.grow(101, 102, 103, 104, 105, 106);
  const goesOn = Promise.withResolvers<undefined>();
  const blocks = createScriptedBlocks(ledger, 100);
  const shared = openShared({
    ...blocks,
    firstAfter: async (slot) => {
      if (slot === 101n) await goesOn.promise;
      return await blocks.firstAfter(slot);
    },
  });
  await shared.openFeed(feedOptions(ledger, () => undefined));
  const { after } = shared.kept;
  await after(100n);
  const slow = after(101n);
  const others = [await after(102n), await after(103n), await after(104n), await after(105n)];
  goesOn.resolve(undefined);
  expect((await slow)?.slot).toBe(102n);
  expect(others.map((entry) => entry?.slot)).toEqual([103n, 104n, 105n, 106n]);
});
