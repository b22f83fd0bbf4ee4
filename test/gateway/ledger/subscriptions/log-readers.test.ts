import { expect, test } from 'vitest';
import { LogReaders, firstOf } from '../../../../src/gateway/ledger/subscriptions/restore.ts';
import type { SharedSubscription } from '../../../../src/gateway/ledger/subscriptions/shared-subscription.ts';

const subscription = (filter: unknown) => ({ params: [filter] }) as unknown as SharedSubscription;
const mentioning = (...mentions: readonly string[]) => subscription({ mentions });
const transaction = (isVote: boolean, ...accounts: readonly string[]) => ({
  isVote,
  accounts: new Set(accounts),
});

const [all, votesToo] = [subscription('all'), subscription('allWithVotes')];
const [ofA, alsoOfA, ofAOrB] = [mentioning('a'), mentioning('a'), mentioning('a', 'b')];
const readers = new LogReaders([all, votesToo, ofA, alsoOfA, ofAOrB]);

test.each([
  ['a transaction', transaction(false, 'c'), [all, votesToo]],
  ['a vote', transaction(true, 'c'), [votesToo]],
  ['a mention', transaction(false, 'a'), [all, votesToo, ofA, alsoOfA, ofAOrB]],
  ['two mentions', transaction(false, 'b', 'a'), [all, votesToo, ofA, alsoOfA, ofAOrB]],
  ['a vote with a mention', transaction(true, 'b'), [votesToo, ofAOrB]],
])('%s is seen by those that look for it, once by each', (_what, seen, expected) => {
  expect([...readers.of(seen)].length).toBe(expected.length);
  expect(readers.of(seen)).toEqual(new Set(expected));
});

test('more subscriptions than a call of a function takes arguments are read from the first slot of all', () => {
  const catchUp = { readUntil: -1 };
  const missed = Array.from(
    { length: 200_000 },
    (_, at) => ({ missingFrom: 1_000 + at, catchUp }) as unknown as SharedSubscription,
  );
  const pace = { slotsIn: () => 4_000 } as unknown as Parameters<typeof firstOf>[2]['pace'];
  expect(firstOf(missed, 2_000, { pace })).toBe(1_000);
});
