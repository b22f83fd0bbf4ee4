import { expect, test } from 'vitest';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address, key } from '../instruction-case.ts';

const owner = 'Stake11111111111111111111111111111111111111';
const u64 = (value: bigint) => new Uint8Array(BigUint64Array.of(value).buffer);
const U64_MAX = 2n ** 64n - 1n;

const META_BYTES = [
  ...u64(2_282_880n),
  ...key(1).toBytes(),
  ...key(2).toBytes(),
  ...new Uint8Array(BigInt64Array.of(-5n).buffer),
  ...u64(6n),
  ...key(3).toBytes(),
];
const STAKE_BYTES = [
  ...key(4).toBytes(),
  ...u64(20n),
  ...u64(2n),
  ...u64(U64_MAX),
  ...new Uint8Array(Float64Array.of(0.25).buffer),
  ...u64(10n),
];
const META = {
  rentExemptReserve: '2282880',
  authorized: { staker: address(1), withdrawer: address(2) },
  lockup: { unixTimestamp: -5n, epoch: 6n, custodian: address(3) },
};
const parse = (...bytes: number[]) =>
  parseChecked(address(9), accountOf({ data: Uint8Array.from(bytes), owner }), NO_MINTS);

test('parses a delegated stake of the usual 200 bytes', () => {
  const padding = 200 - 4 - META_BYTES.length - STAKE_BYTES.length;
  expect(parse(2, 0, 0, 0, ...META_BYTES, ...STAKE_BYTES, ...new Uint8Array(padding))).toEqual({
    program: 'stake',
    parsed: {
      type: 'delegated',
      info: {
        meta: META,
        stake: {
          delegation: {
            voter: address(4),
            stake: '20',
            activationEpoch: '2',
            deactivationEpoch: '18446744073709551615',
          },
          creditsObserved: 10n,
        },
      },
    },
    space: 200n,
  });
});

test('parses a stake that is not delegated', () => {
  expect(parse(1, 0, 0, 0, ...META_BYTES)?.parsed).toEqual({
    type: 'initialized',
    info: { meta: META, stake: null },
  });
});

test('parses the states without members, and no other', () => {
  expect(parse(0, 0, 0, 0)?.parsed).toEqual({ type: 'uninitialized' });
  expect(parse(3, 0, 0, 0)?.parsed).toEqual({ type: 'rewardsPool' });
  expect(parse(4, 0, 0, 0)).toBeUndefined();
  expect(parse(1, 0, 0, 0, ...META_BYTES.slice(1))).toBeUndefined();
});
