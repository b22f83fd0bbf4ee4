import { expect, test } from 'vitest';
import { Sampler } from '../../../../src/gateway/ledger/drift/node-samples.ts';

const NAMES = ['getSlot', 'getBlock', 'getBalance', 'getSupply'];

/** Offers an answer. @returns whether it was looked at. */
function offer(sampler: Sampler, name: string): boolean {
  if (!sampler.isDue(name)) return false;
  sampler.take(name);
  return true;
}

test('the first answer of every name is looked at, without waiting', () => {
  const sampler = new Sampler({ names: NAMES, random: () => 0 });
  expect(NAMES.map((name) => offer(sampler, name))).toEqual([true, true, true, true]);
  expect(NAMES.map((name) => offer(sampler, name))).toEqual([false, false, false, false]);
});

test('an answer that was due and was not looked at is still due', () => {
  const sampler = new Sampler({ names: NAMES, random: () => 0 });
  expect([sampler.isDue('getSlot'), sampler.isDue('getSlot')]).toEqual([true, true]);
  for (const name of NAMES) sampler.take(name);
  for (let tick = 0; tick < 8; tick++) sampler.tick();
  expect([sampler.isDue('getSlot'), sampler.isDue('getSlot')]).toEqual([true, true]);
});

test('from then on there is one sample for each tick at most, and four more after quiet ones', () => {
  const sampler = new Sampler({ names: NAMES, random: () => 0 });
  for (const name of NAMES) offer(sampler, name);
  for (let tick = 0; tick < 100; tick++) sampler.tick();
  expect(NAMES.filter((name) => offer(sampler, name))).toHaveLength(4);
  let taken = 0;
  for (let tick = 0; tick < 1_000; tick++) {
    sampler.tick();
    for (const name of NAMES) for (let call = 0; call < 10; call++) taken += offer(sampler, name) ? 1 : 0;
  }
  expect(taken).toBeLessThanOrEqual(1_004);
  expect(taken).toBeGreaterThan(400);
});

test('a frequent name leaves room for a rare one, at whatever time that comes', () => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const sampler = new Sampler({ names: NAMES, random });
  let [rare, taken] = [0, 0];
  for (let tick = 0; tick < 5_000; tick++) {
    sampler.tick();
    for (let call = 0; call < 20; call++) for (const name of ['getSlot', 'getBlock']) offer(sampler, name);
    if (tick % 97 === 0) {
      rare += 1;
      taken += offer(sampler, 'getSupply') ? 1 : 0;
    }
  }
  expect(taken / rare).toBeGreaterThan(0.9);
});

test('names that nobody foresaw are one, so that they need no memory', () => {
  const sampler = new Sampler({ names: NAMES, random: () => 0 });
  expect(offer(sampler, 'newNotification')).toBe(true);
  for (let at = 0; at < 1_000; at++) expect(offer(sampler, `hostile${at}`)).toBe(false);
  for (let tick = 0; tick < 10; tick++) sampler.tick();
  expect(offer(sampler, 'anotherOne')).toBe(true);
});
