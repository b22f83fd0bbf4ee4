import { expect, test } from 'vitest';
import { createBook } from './kills/book.ts';
import { breakOfChargeRule, DELIVERED_NEVER_EXCEEDS_CHARGED } from './kills/charge-rule.ts';

const broken = (delivered: number, interrupted: number, charged: number) =>
  breakOfChargeRule('wallet_creation', { delivered, interrupted }, charged);

test('the first half of the rule is held', () => {
  expect(DELIVERED_NEVER_EXCEEDS_CHARGED).toBe(true);
});

test('what was delivered is charged, and of what was broken off all or nothing or a part', () => {
  for (const charged of [10, 11, 15]) expect(broken(10, 5, charged)).toBeUndefined();
});

test('a unit that was given away, and one that was charged and nobody asked for, break the rule', () => {
  expect(broken(10, 5, 9)).toContain('1 given away');
  expect(broken(10, 5, 16)).toContain('16 charged for 10 delivered, and 5 broken off');
  expect(broken(0, 0, 1)).toBeDefined();
});

test('a round counts its own units, and knows the wallets of all', () => {
  const book = createBook();
  const wallet = { wallet_id: 'w_1', address: 'a' };
  book.tell(wallet);
  book.deliver('wallet_creation', 1);
  book.interrupt('managed_signing', 2);
  expect([book.tally('wallet_creation'), book.tally('managed_signing')]).toEqual([
    { delivered: 1, interrupted: 0 },
    { delivered: 0, interrupted: 2 },
  ]);
  book.beginRound();
  expect([book.tally('wallet_creation'), book.newest]).toEqual([{ delivered: 0, interrupted: 0 }, []]);
  expect([book.acknowledged(), book.living.get('w_1')]).toEqual([1, wallet]);
});
