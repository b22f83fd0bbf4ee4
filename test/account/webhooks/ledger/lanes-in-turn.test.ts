import { expect, test } from 'vitest';
import { groupsInTurn } from '../../../../src/account/webhooks/ledger/follow-ledgers.ts';

const LANES = 16;
const MOST_OF_ACCOUNT = LANES / 2;

type Group = readonly { readonly accountId: string; readonly name: string }[];

/** Groups of one feed each, oldest first. */
const groupsOf = (accountId: string, count: number): readonly Group[] =>
  Array.from({ length: count }, (_, n) => [{ accountId, name: `${accountId}${n}` }]);
const names = (groups: readonly Group[]) => groups.map((feeds) => feeds.map(({ name }) => name).join());

test('an account whose twenty webhooks are far apart, and older than others, gets half of the lanes', () => {
  const groups = [...groupsOf('mallory', 20), ...groupsOf('victim', 1)];
  const chosen = names(groupsInTurn(groups, []));
  expect(chosen.slice(0, 2)).toEqual(['mallory0', 'victim0']);
  expect(chosen.filter((name) => name.startsWith('mallory')).length).toBeLessThanOrEqual(MOST_OF_ACCOUNT);
});

test('an account gets a lane next to those that run, and one without any comes first', () => {
  const running = groupsOf('mallory', MOST_OF_ACCOUNT);
  const groups = [...groupsOf('mallory', 20), ...groupsOf('a', 2), ...groupsOf('b', 1)];
  expect(names(groupsInTurn(groups, running))).toEqual(['a0', 'b0', 'a1']);
  expect(names(groupsInTurn(groupsOf('mallory', 20), running))).toEqual([]);
});

test('webhooks of several accounts near each other share a lane, which counts for each of them', () => {
  const shared = [...groupsOf('mallory', 1), ...groupsOf('victim', 1)].flat();
  expect(groupsInTurn([shared, ...groupsOf('other', 1)], groupsOf('mallory', 3))).toEqual([
    shared,
    ...groupsOf('other', 1),
  ]);
  expect(names(groupsInTurn([...groupsOf('victim', 1), ...groupsOf('other', 1)], [shared]))).toEqual([
    'other0',
    'victim0',
  ]);
});

test('no more lanes run than there are', () => {
  const running = Array.from({ length: LANES - 1 }, (_, n) => groupsOf(`account ${n} `, 1)).flat();
  const groups = ['a', 'b'].flatMap((account) => groupsOf(account, 1));
  expect(names(groupsInTurn(groups, running))).toEqual(['a0']);
  expect(groupsInTurn(groups, [...running, ...groupsOf('c', 1)])).toEqual([]);
});
