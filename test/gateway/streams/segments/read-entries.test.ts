import { expect, test } from 'vitest';
import { createEntryReader } from '../../../../src/gateway/streams/segments/segment-history.ts';
import { packBlock } from '../../../../src/gateway/streams/shared/pack-block.ts';
import { replyOf } from '../reply-of.ts';
import { createScriptedLedger } from '../scripted-ledger.ts';

test('each block is parsed in a turn of its own, and one that is read while blocks change is read again', async () => {
  const ledger = createScriptedLedger(100);
  ledger.grow(101);
  const block = await ledger.block(101n, 101n);
  const packed = await packBlock(replyOf(block));
  let reads = 0;
  const recordAfter = async (slot: bigint) => {
    reads++;
    return {
      parent: { slot, blockhash: block.previousBlockhash },
      link: { slot: slot + 1n, blockhash: block.blockhash },
      finalizedSlot: 0n,
      packed,
    };
  };
  const reader = createEntryReader({ set: { recordAfter }, maxBlockBytes: 10 ** 6 });
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  const reading = [100n, 200n, 300n, 400n].map(async (slot) => {
    await reader.after(slot);
    turns.push(turn);
  });
  await Promise.resolve();
  // All are unpacked meanwhile.
  for (const until = performance.now() + 200; performance.now() < until; );
  await Promise.all(reading);
  isCounting = false;
  expect(new Set(turns).size).toBe(4);
  const [before, again] = [reads, reader.after(500n)];
  reader.forget();
  expect((await again)?.slot).toBe(501n);
  expect(reads).toBeGreaterThanOrEqual(before + 2);
});
