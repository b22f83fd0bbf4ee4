import { createMintToInstruction, createTransferInstruction, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const mintTo = createMintToInstruction(key(1), key(2), key(3), 5n);
const transfer = createTransferInstruction(key(2), key(4), key(3), 6n);

test('parses each instruction of a batch with its own accounts', () => {
  expect(parseBuilt(batch(mintTo, transfer))?.parsed).toEqual({
    type: 'batch',
    info: {
      instructions: [
        {
          type: 'mintTo',
          info: { mint: address(1), account: address(2), mintAuthority: address(3), amount: '5' },
        },
        {
          type: 'transfer',
          info: { source: address(2), destination: address(4), authority: address(3), amount: '6' },
        },
      ],
    },
  });
});

test('does not parse a batch in a batch, one with accounts missing, or one cut short', () => {
  const built = batch(mintTo, transfer);
  expect(parseBuilt(batch(built))).toBeUndefined();
  expect(parseBuilt(without(built, 1))).toBeUndefined();
  expect(
    parseBuilt(new TransactionInstruction({ ...built, data: built.data.subarray(0, -1) })),
  ).toBeUndefined();
});

function batch(...calls: readonly TransactionInstruction[]) {
  const parts = calls.map((call) =>
    Buffer.concat([Buffer.of(call.keys.length, call.data.length), call.data]),
  );
  return new TransactionInstruction({
    programId: TOKEN_PROGRAM_ID,
    keys: calls.flatMap((call) => call.keys),
    data: Buffer.concat([Buffer.of(255), ...parts]),
  });
}
