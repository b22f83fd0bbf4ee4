import { getAddressLookupTableEncoder } from '@solana-program/address-lookup-table';
import { address as toAddress } from '@solana/kit';
import { expect, test } from 'vitest';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address } from '../instruction-case.ts';

const owner = 'AddressLookupTab1e1111111111111111111111111';
const parse = (data: Uint8Array) => parseChecked(address(9), accountOf({ data, owner }), NO_MINTS);

function table(authority: string | null, addresses: readonly string[]): Uint8Array {
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 7n,
    lastExtendedSlotStartIndex: 3,
    authority: authority === null ? null : toAddress(authority),
    addresses: addresses.map((each) => toAddress(each)),
  };
  return new Uint8Array(getAddressLookupTableEncoder().encode(state));
}

const META = {
  deactivationSlot: '18446744073709551615',
  lastExtendedSlot: '7',
  lastExtendedSlotStartIndex: 3,
};

test('parses a table with its addresses', () => {
  expect(parse(table(address(1), [address(2), address(3)]))).toEqual({
    program: 'address-lookup-table',
    parsed: {
      type: 'lookupTable',
      info: { ...META, authority: address(1), addresses: [address(2), address(3)] },
    },
    space: 120n,
  });
});

test('parses a frozen table, which has no authority', () => {
  expect(parse(table(null, []))?.parsed).toEqual({ type: 'lookupTable', info: { ...META, addresses: [] } });
});

test('parses a table that holds nothing yet', () => {
  expect(parse(new Uint8Array(56))?.parsed).toEqual({ type: 'uninitialized' });
});

test('does not parse a table cut inside an address, or no table', () => {
  expect(parse(table(address(1), [address(2)]).subarray(0, -1))).toBeUndefined();
  expect(parse(table(address(1), []).subarray(0, -1))).toBeUndefined();
  expect(parse(Uint8Array.of(2, 0, 0, 0))).toBeUndefined();
  expect(parse(new Uint8Array())).toBeUndefined();
});
