import { expect, test } from 'vitest';
import { Entry } from '../../../src/gateway/streams/entry.ts';
import { EntryCache } from '../../../src/gateway/streams/entry-cache.ts';
import { createScriptedLedger } from './scripted-ledger.ts';

/** Reads blocks of a ledger, each of which takes `sizeBytes` of memory; notes the slots. */
function readsOf(sizeBytes: number) {
  const ledger = createScriptedLedger(100, () => ({ sizeBytes }));
  ledger.grow(101, 102, 103, 104);
  const slots: number[] = [];
  const cache = new EntryCache<bigint>();
  const get = (slot: number) =>
    cache.get(BigInt(slot), async () => {
      slots.push(slot);
      return new Entry(await ledger.block(BigInt(slot), 0n));
    });
  return { cache, get, slots };
}

test('a block is read once for all requests, at the same time or later', async () => {
  const { get, slots } = readsOf(1_000);
  const [one, other] = await Promise.all([get(101), get(101)]);
  expect([one === other, (await get(101)) === one, slots]).toEqual([true, true, [101]]);
});

test('the last blocks are at hand, up to 64 MiB with their messages', async () => {
  const { get, slots } = readsOf(8 * 2 ** 20);
  for (const slot of [101, 102, 101, 103, 101, 102]) await get(slot);
  expect(slots).toEqual([101, 102, 103, 102]);
});

test('what is not there or cannot be read is read again', async () => {
  const { cache, get, slots } = readsOf(1_000);
  expect(await cache.get(101n, async () => undefined)).toBeUndefined();
  await expect(cache.get(101n, () => Promise.reject(new Error('the disk is lost')))).rejects.toThrow('lost');
  expect([(await get(101))?.slot, slots]).toEqual([101n, [101]]);
});
