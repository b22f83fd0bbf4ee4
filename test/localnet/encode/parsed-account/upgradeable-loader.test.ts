import { expect, test } from 'vitest';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address, key } from '../instruction-case.ts';

const owner = 'BPFLoaderUpgradeab1e11111111111111111111111';
const SLOT = [42, 0, 0, 0, 0, 0, 0, 0];
const CODE = [7, 7, 7];
const DATA = ['BwcH', 'base64'];
const parse = (...parts: readonly (readonly number[] | Uint8Array)[]) =>
  parseChecked(
    address(9),
    accountOf({ data: Uint8Array.from(parts.flatMap((part) => [...part])), owner }),
    NO_MINTS,
  );

test('parses a program', () => {
  expect(parse([2, 0, 0, 0], key(1).toBytes())).toEqual({
    program: 'bpf-upgradeable-loader',
    parsed: { type: 'program', info: { programData: address(1) } },
    space: 36n,
  });
});

test('parses the code of a program, with and without upgrade authority', () => {
  expect(parse([3, 0, 0, 0], SLOT, [1], key(1).toBytes(), CODE)?.parsed).toEqual({
    type: 'programData',
    info: { slot: 42n, authority: address(1), data: DATA },
  });
  expect(parse([3, 0, 0, 0], SLOT, [0], CODE)?.parsed).toEqual({
    type: 'programData',
    info: { slot: 42n, authority: null, data: DATA },
  });
});

test('parses a buffer, with and without authority', () => {
  expect(parse([1, 0, 0, 0], [1], key(1).toBytes(), CODE)?.parsed).toEqual({
    type: 'buffer',
    info: { authority: address(1), data: DATA },
  });
  expect(parse([1, 0, 0, 0], [0], CODE)?.parsed).toEqual({
    type: 'buffer',
    info: { authority: null, data: DATA },
  });
});

test('parses an account that holds nothing yet, and no other state', () => {
  expect(parse([0, 0, 0, 0])?.parsed).toEqual({ type: 'uninitialized' });
  expect(parse([4, 0, 0, 0])).toBeUndefined();
  expect(parse([2, 0, 0, 0], key(1).toBytes().slice(1))).toBeUndefined();
});
