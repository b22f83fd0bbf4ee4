import { expect, test } from 'vitest';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { branchesOf, compareSeen, readNotYetSeen } from './seen-branches.ts';

const ALL = new Set(['getSlot', 'Title.member?']);

test('a branch that is neither seen nor listed is missing', () => {
  expect(compareSeen(ALL, new Set(['getSlot']), new Map()).missing).toEqual(['Title.member?']);
  expect(
    compareSeen(ALL, new Set(['getSlot']), new Map([['Title.member?', { why: 'why' }]])).missing,
  ).toEqual([]);
});

test('a listed branch that was seen is told', () => {
  expect(compareSeen(ALL, ALL, new Map([['getSlot', { why: 'why' }]])).seenAfterAll).toEqual(['getSlot']);
  const sometimes = new Map([['getSlot', { why: 'why', sometimes: true }]]);
  expect(compareSeen(ALL, ALL, sometimes).seenAfterAll).toEqual([]);
});

test('a listed branch that no result has is told', () => {
  expect(compareSeen(ALL, ALL, new Map([['Gone.member?', { why: 'why' }]])).unknown).toEqual([
    'Gone.member?',
  ]);
});

test('the list names branches of today, each once', async () => {
  const listed = await readNotYetSeen();
  const all = branchesOf(CONTRACT);
  expect([...listed.keys()].filter((id) => !all.has(id))).toEqual([]);
});
