import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { createScriptedLedger, type ScriptedLedger } from '../scripted-ledger.ts';
import { createScriptedBlocks, feedOptions, openShared } from './scripted-blocks.ts';

/** Blocks of one turn, and those that are read backwards meanwhile. */
const MOST_HELD = 16 + 32;

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('where shared blocks start again far after the tip, missing blocks are read in order, a few at a time', async () => {
  const ledger = createScriptedLedger(100);
  const held = new Set<bigint>();
  const taken: number[] = [];
  let mostHeld = 0;
  const node: ScriptedLedger = {
    ...ledger,
    block: async (slot, finalizedSlot) => {
      if (Number(slot) > (taken.at(-1) ?? 0)) held.add(slot);
      mostHeld = Math.max(mostHeld, held.size);
      return await ledger.block(slot, finalizedSlot);
    },
  };
  const shared = openShared(createScriptedBlocks(ledger, 600));
  const feed = await shared.openFeed(
    feedOptions(node, ({ slot }) => {
      held.delete(slot);
      taken.push(Number(slot));
    }),
  );
  onTestFinished(() => feed.stop());
  ledger.grow(...range(101, 610));
  feed.run();
  await eventually('all are taken', () => (taken.length >= 510 ? true : undefined), { intervalMs: 5 });
  expect(taken).toEqual(range(101, 610));
  expect(mostHeld).toBeLessThanOrEqual(MOST_HELD);
  await eventually('the shared ones are followed', () => shared.standing().source === 'shared' || undefined);
  ledger.grow(...range(611, 615));
  await eventually('these too', () => (taken.length >= 515 ? true : undefined), { intervalMs: 5 });
  expect(taken.slice(-5)).toEqual(range(611, 615));
});
