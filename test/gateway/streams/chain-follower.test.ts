import { expect, test } from 'vitest';
import { ChainFollower } from '../../../src/gateway/streams/chain-follower.ts';
import { createScriptedLedger, type ScriptedLedger } from './scripted-ledger.ts';

const NEWEST = 150n;

/** A follower at slot 100 of a ledger with the blocks up to 150, whose node holds up the first answer. */
async function follow() {
  const ledger = createScriptedLedger(100);
  ledger.grow(...Array.from({ length: 50 }, (_, at) => 101 + at));
  const goesOn = Promise.withResolvers<undefined>();
  const asked: bigint[] = [];
  const taken: bigint[] = [];
  const node: ScriptedLedger = {
    ...ledger,
    block: async (slot, finalizedSlot) => {
      if (asked.push(slot) === 1) await goesOn.promise;
      return await ledger.block(slot, finalizedSlot);
    },
  };
  const onBlock = ({ slot }: { readonly slot: bigint }): void => void taken.push(slot);
  const chain = new ChainFollower(
    { node, generation: () => 0, onBlock },
    { slot: 100n, blockhash: undefined },
    { generation: 0, genesis: 'genesis' },
  );
  const newest = await ledger.block(NEWEST, 0n);
  return { chain, newest, asked, taken, goOn: () => goesOn.resolve(undefined) };
}

test('nothing more is read before a block when others were taken meanwhile', async () => {
  const { chain, newest, asked, taken, goOn } = await follow();
  const slow = chain.take(newest, 0n);
  expect(await chain.take(newest, 0n)).toBe(true);
  const before = asked.length;
  goOn();
  expect(await slow).toBe(false);
  expect([asked.length, taken.length, chain.tip.slot]).toEqual([before, 50, NEWEST]);
});

test('nothing more is read before a block when the follower was stopped', async () => {
  const { chain, newest, asked, taken, goOn } = await follow();
  const slow = chain.take(newest, 0n);
  chain.stop();
  goOn();
  expect(await slow).toBe(false);
  expect([asked, taken]).toEqual([[NEWEST - 1n], []]);
});
