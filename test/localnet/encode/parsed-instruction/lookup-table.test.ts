import { AddressLookupTableProgram, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const [lookupTable, authority, payer] = [key(1), key(2), key(3)];
const TABLE = { lookupTableAccount: address(1), lookupTableAuthority: address(2) };
const SYSTEM = SystemProgram.programId.toBase58();

test('parses createLookupTable', () => {
  const [built, table] = AddressLookupTableProgram.createLookupTable({ authority, payer, recentSlot: 42 });
  expect(parseBuilt(built)).toEqual({
    program: 'address-lookup-table',
    programId: AddressLookupTableProgram.programId.toBase58(),
    parsed: {
      type: 'createLookupTable',
      info: {
        lookupTableAccount: table.toBase58(),
        lookupTableAuthority: address(2),
        payerAccount: address(3),
        systemProgram: SYSTEM,
        recentSlot: 42n,
        bumpSeed: built.data.at(-1),
      },
    },
    stackHeight: 1,
  });
});

test('parses extendLookupTable, with payer only if one pays', () => {
  const addresses = [key(7), key(8)];
  const newAddresses = [address(7), address(8)];
  const paid = AddressLookupTableProgram.extendLookupTable({ lookupTable, authority, payer, addresses });
  const info = { ...TABLE, newAddresses };
  expect(parseBuilt(paid)?.parsed).toEqual({
    type: 'extendLookupTable',
    info: { ...info, payerAccount: address(3), systemProgram: SYSTEM },
  });
  expect(parseBuilt(without(paid, 1))?.parsed).toEqual({ type: 'extendLookupTable', info });
  expect(parseBuilt(without(paid, 2))?.parsed).toEqual({ type: 'extendLookupTable', info });
  expect(parseBuilt(without(paid, 3))).toBeUndefined();
});

test.each([
  ['freezeLookupTable', AddressLookupTableProgram.freezeLookupTable({ lookupTable, authority }), TABLE],
  [
    'deactivateLookupTable',
    AddressLookupTableProgram.deactivateLookupTable({ lookupTable, authority }),
    TABLE,
  ],
  [
    'closeLookupTable',
    AddressLookupTableProgram.closeLookupTable({ lookupTable, authority, recipient: payer }),
    { ...TABLE, recipient: address(3) },
  ],
] as const)('parses %s', (type, built, info) => {
  expect(parseBuilt(built)?.parsed).toEqual({ type, info });
  expect(parseBuilt(without(built, 1))).toBeUndefined();
});
