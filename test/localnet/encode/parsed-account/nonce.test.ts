import { getNonceEncoder, NonceState, NonceVersion } from '@solana-program/system';
import { address as toAddress } from '@solana/kit';
import { expect, test } from 'vitest';
import { accountOf, NO_MINTS, parseChecked } from '../account-case.ts';
import { address } from '../instruction-case.ts';

const nonce = {
  version: NonceVersion.Current,
  state: NonceState.Initialized,
  authority: toAddress(address(1)),
  blockhash: toAddress(address(2)),
  lamportsPerSignature: 5000n,
};

const parse = (data: Uint8Array) => parseChecked(address(9), accountOf({ data }), NO_MINTS);
const bytes = (parts: Partial<typeof nonce>) =>
  new Uint8Array(getNonceEncoder().encode({ ...nonce, ...parts }));

test.each([NonceVersion.Current, NonceVersion.Legacy])('parses a nonce of version %s', (version) => {
  expect(parse(bytes({ version }))).toEqual({
    program: 'nonce',
    parsed: {
      type: 'initialized',
      info: {
        authority: address(1),
        blockhash: address(2),
        feeCalculator: { lamportsPerSignature: '5000' },
      },
    },
    space: 80n,
  });
});

test('does not parse an account without a nonce, of whatever size', () => {
  expect(parse(bytes({ state: NonceState.Uninitialized }))).toBeUndefined();
  expect(parse(new Uint8Array(80))).toBeUndefined();
  expect(parse(new Uint8Array())).toBeUndefined();
  expect(parse(bytes({}).subarray(0, 79))).toBeUndefined();
});
