import { expect, test } from 'vitest';
import { NameCounts } from '../../../../src/gateway/ledger/drift/network-drift.ts';

const member = (name: string) => ({ kind: 'member', name }) as const;

test('a name is counted each time, and told once for each version of the node', () => {
  let nowMs = 5;
  const counts = new NameCounts({ maxNames: 3, nowMs: () => nowMs });
  const told = ['4.2.0', '4.2.0', '4.3.0', '4.2.0'].map((version) => counts.note(member('a'), version));
  expect(told).toEqual(['a', undefined, 'a', undefined]);
  nowMs = 6;
  expect(counts.note(member('b'))).toBe('b');
  expect(counts.note({ kind: 'word', name: 'a' })).toBe('a');
  expect(counts.list()).toEqual([
    { kind: 'member', name: 'a', count: 4, firstSeenMs: 5 },
    { kind: 'member', name: 'b', count: 1, firstSeenMs: 6 },
    { kind: 'word', name: 'a', count: 1, firstSeenMs: 6 },
  ]);
});

test('from the bound on names are counted as one of their kind, those that are known by themselves', () => {
  const counts = new NameCounts({ maxNames: 2, nowMs: () => 0 });
  for (const name of ['a', 'b']) counts.note(member(name));
  const told = Array.from({ length: 1_000 }, (_, at) => counts.note(member(`hostile${at}`)));
  expect(told.filter((name) => name !== undefined)).toEqual(['other']);
  counts.note(member('a'));
  counts.note({ kind: 'version', name: 'c' });
  expect(counts.list().map(({ kind, name, count }) => [kind, name, count])).toEqual([
    ['member', 'a', 2],
    ['member', 'b', 1],
    ['member', 'other', 1_000],
    ['version', 'other', 1],
  ]);
});

test('a bound of the caller holds as well, for new names only', () => {
  const counts = new NameCounts({ maxNames: 9, nowMs: () => 0 });
  const told = ['a', 'b', 'c', 'a'].map((name) => counts.note(member(name), '4.4.0', 2));
  expect(told).toEqual(['a', 'b', 'other', undefined]);
  expect([counts.note(member('c')), counts.size]).toEqual(['c', 4]);
});

test('a node that has another version at each look is reported eight times', () => {
  const counts = new NameCounts({ maxNames: 2, nowMs: () => 0 });
  const told = Array.from({ length: 100 }, (_, at) => counts.note(member('a'), `4.${at}`));
  expect(told.filter((name) => name !== undefined)).toHaveLength(8);
});
