import { base58 } from '@scure/base';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeBase58 } from '../../../src/localnet/bytes/base58.ts';
import { rounds } from '../../support/tier.ts';

/** kit's decoder makes text of bytes. */
const kit = getBase58Decoder();

test('bytes of any length are written as two other libraries write them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
      expect(encodeBase58(bytes)).toBe(bytes.length > 2_048 ? kit.decode(bytes) : base58.encode(bytes));
    }),
    { numRuns: rounds(30) },
  );
});

test.each([2_048, 2_049, 4_096, 10_240])('%i bytes, with zeros at the front and without', (size) => {
  for (const zeros of [0, 1, 40, size - 1, size]) {
    const bytes = new Uint8Array(size).fill(255).fill(0, 0, zeros);
    expect(encodeBase58(bytes)).toBe(kit.decode(bytes));
  }
});
