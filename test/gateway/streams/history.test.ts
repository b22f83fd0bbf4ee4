import { expect, it } from 'vitest';
import { OutputFormat } from '../../../generated/stream/service.ts';
import { History } from '../../../src/gateway/streams/cursor.ts';
import { createScriptedLedger } from './scripted-ledger.ts';

const blocksOf = async (count: number, sizeBytes = 100) => {
  const ledger = createScriptedLedger(10, () => ({ sizeBytes }));
  ledger.grow(...Array.from({ length: count - 1 }, (_, index) => 11 + index));
  return Promise.all(ledger.slots().map((slot) => ledger.block(BigInt(slot), 0n)));
};

it('finds the block after a slot, a skipped one too, and says what it has', async () => {
  const history = new History(9n, { maxSlots: 10, maxBytes: 10_000 });
  expect([history.newest, history.after(9n)]).toEqual([9n, undefined]);
  for (const block of await blocksOf(3)) history.add(block);
  expect(history.after(9n)?.slot).toBe(10n);
  expect(history.after(11n)?.slot).toBe(12n);
  expect(history.after(12n)).toBeUndefined();
  expect([history.base, history.newest, history.countAfter(10n)]).toEqual([9n, 12n, 2]);
});

it('lets the oldest go beyond its slots, and says from where on it has everything', async () => {
  const history = new History(9n, { maxSlots: 2, maxBytes: 10_000 });
  for (const block of await blocksOf(5)) history.add(block);
  expect([history.base, history.newest, history.countAfter(0n)]).toEqual([12n, 14n, 2]);
});

it('lets the oldest go beyond its bytes, those of encoded messages included, and keeps the newest', async () => {
  const history = new History(9n, { maxSlots: 100, maxBytes: 500 });
  for (const block of await blocksOf(3)) history.add(block);
  expect([history.base, history.sizeBytes]).toEqual([10n, 400]);
  const wish = { topic: 'slots', format: OutputFormat.JSON, view: undefined } as const;
  const encoded = await history.after(11n)?.messages(wish);
  expect(encoded).toHaveLength(1);
  expect(history.base).toBe(11n);
  expect(history.sizeBytes).toBe(200 + (encoded?.[0]?.length ?? 0));
  for (const block of (await blocksOf(4, 10_000)).slice(3)) history.add(block);
  expect([history.base, history.newest]).toEqual([12n, 13n]);
});

it('makes and encodes the messages of a block once for everyone', async () => {
  const history = new History(9n, { maxSlots: 10, maxBytes: 10_000 });
  for (const block of await blocksOf(1)) history.add(block);
  const entry = history.after(9n);
  const wish = { topic: 'slots', format: OutputFormat.PROTO, view: undefined } as const;
  expect(entry?.messages(wish)).toBe(entry?.messages({ ...wish }));
});
