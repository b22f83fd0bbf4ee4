import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { address, getProgramDerivedAddress } from '@solana/kit';
import { expect, test } from 'vitest';
import { programAddress } from '../../../src/localnet/addresses/program-address.ts';

test('derives the addresses that kit derives', async () => {
  for (const seedBytes of [[], [0], [32], [32, 32, 32], [7, 31]]) {
    for (let round = 0; round < 20; round++) {
      const program = base58.encode(randomBytes(32));
      const seeds = seedBytes.map((length) => randomBytes(length));
      const [expected] = await getProgramDerivedAddress({ programAddress: address(program), seeds });
      expect(programAddress(program, seeds)).toBe(expected);
    }
  }
});
