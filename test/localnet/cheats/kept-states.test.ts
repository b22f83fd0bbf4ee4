import { expect, test } from 'vitest';
import type { Account, TransactionRecord } from '../../../src/localnet/model.ts';
import { changedBytes } from '../../../src/localnet/trace/traced-accounts.ts';
import { KeptStates } from '../../../src/localnet/trace/kept-states.ts';

const account = (bytes: number): Account => ({
  lamports: 1n,
  data: new Uint8Array(bytes),
  owner: 'x',
  executable: false,
  rentEpoch: 0n,
});
const record = (index: number) => ({ index }) as TransactionRecord;

test('states are kept up to a number of transactions and of bytes', () => {
  const kept = new KeptStates(() => false, { transactions: 3, bytes: 100_000 });
  const records = Array.from({ length: 5 }, (_, index) => record(index));
  for (const each of records) kept.keep(each, new Map([['a', { before: account(10), after: account(10) }]]));
  expect(records.map((each) => kept.find(each) !== undefined)).toEqual([false, false, true, true, true]);
  const large = record(9);
  kept.keep(large, new Map([['a', { before: undefined, after: account(99_000) }]]));
  expect([records[4], large].map((each) => each && kept.find(each) !== undefined)).toEqual([false, true]);
  kept.keep(record(10), new Map([['a', { before: undefined, after: account(200_000) }]]));
  expect(kept.size).toEqual({ transactions: 0, bytes: 0 });
});

test('what is left out is not kept', () => {
  const kept = new KeptStates(() => true);
  kept.keep(record(0), new Map());
  expect(kept.size.transactions).toBe(0);
});

test('bytes that differ are shown in parts, 16 of them and 1,024 bytes at most', () => {
  const before = new Uint8Array(2_000);
  const after = Uint8Array.from(before, (_, index) => (index % 100 === 50 ? 1 : 0));
  const { parts, isCut } = changedBytes(before, after);
  expect(parts.map(({ offset }) => offset)).toEqual(
    Array.from({ length: 16 }, (_, index) => BigInt(index * 100 + 50)),
  );
  expect(isCut).toBe(true);
  expect(changedBytes(before.subarray(0, 1_600), after.subarray(0, 1_600)).isCut).toBe(false);
  expect(changedBytes(new Uint8Array(0), new Uint8Array(1_024).fill(1))).toMatchObject({
    parts: [{ offset: 0n }],
    isCut: false,
  });
  expect(changedBytes(new Uint8Array(0), new Uint8Array(1_025).fill(1)).isCut).toBe(true);
  expect(changedBytes(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2))).toEqual({
    parts: [{ offset: 2n, before: 'Aw==', after: '' }],
    isCut: false,
  });
});
