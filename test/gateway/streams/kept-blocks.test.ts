import { expect, it } from 'vitest';
import { Entry } from '../../../src/gateway/streams/entry.ts';
import { openFeed } from '../../../src/gateway/streams/feed.ts';
import type { KeptBlocks } from '../../../src/gateway/streams/kept-blocks.ts';
import { open, take } from './open-hub.ts';
import { createScriptedLedger, type ScriptedLedger } from './scripted-ledger.ts';

/** Keeps the blocks of a ledger outside of the gateway. */
function keep(ledger: ScriptedLedger, base: number): KeptBlocks {
  return {
    base: async () => BigInt(base),
    after: async (slot) => {
      const [next] = await ledger.slotsFrom(slot + 1n, 1);
      return next === undefined ? undefined : new Entry(await ledger.block(next, 0n));
    },
  };
}

const grown = (first: number, last: number): ScriptedLedger => {
  const ledger = createScriptedLedger(first);
  ledger.grow(...Array.from({ length: last - first }, (_, at) => first + 1 + at));
  return ledger;
};

it('a stream that resumes is sent what is kept, which costs its plan nothing, then what is in memory', async () => {
  const [node, kept] = [grown(100, 110), keep(grown(100, 110), 100)];
  node.purgeBelow(110);
  const hub = open(node, { shared: { openFeed, kept } });
  const resumed = await hub.open(103n, () => Promise.reject(new Error('the plan was asked')));
  expect(await take(resumed, 7)).toEqual([104, 105, 106, 107, 108, 109, 110]);
  node.grow(111);
  expect(await take(resumed, 1)).toEqual([111]);
});

it('a stream ends where what is kept is on another fork than what is in memory', async () => {
  const node = createScriptedLedger(100);
  node.takeFork(110);
  const hub = open(node, { shared: { openFeed, kept: keep(grown(100, 110), 100) } });
  await hub.open(undefined);
  const resumed = await hub.open(107n);
  expect(await take(resumed, 3)).toEqual([108, 109, 110]);
  node.grow(111);
  await expect(resumed.next()).rejects.toMatchObject({ code: 'ledgerChanged', context: { slot: 110n } });
});
