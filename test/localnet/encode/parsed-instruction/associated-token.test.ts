import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createRecoverNestedInstruction,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { address, key, parseBuilt, without } from '../instruction-case.ts';

const [payer, account, wallet, mint] = [key(1), key(2), key(3), key(4)];
const CREATED = {
  source: address(1),
  account: address(2),
  wallet: address(3),
  mint: address(4),
  systemProgram: SystemProgram.programId.toBase58(),
  tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
};

test('parses create, with and without its type byte', () => {
  const built = createAssociatedTokenAccountInstruction(payer, account, wallet, mint);
  expect(parseBuilt(built)).toEqual({
    program: 'spl-associated-token-account',
    programId: ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(),
    parsed: { type: 'create', info: CREATED },
    stackHeight: 1,
  });
  expect(parseBuilt(withData(built, 0))?.parsed).toEqual({ type: 'create', info: CREATED });
  expect(parseBuilt(without(built, 1))).toBeUndefined();
});

test('parses createIdempotent with the token program it names', () => {
  const built = createAssociatedTokenAccountIdempotentInstruction(
    payer,
    account,
    wallet,
    mint,
    TOKEN_2022_PROGRAM_ID,
  );
  const info = { ...CREATED, tokenProgram: TOKEN_2022_PROGRAM_ID.toBase58() };
  expect(parseBuilt(built)?.parsed).toEqual({ type: 'createIdempotent', info });
});

test('parses recoverNested', () => {
  const built = createRecoverNestedInstruction(key(1), key(2), key(3), key(4), key(5), key(6));
  expect(parseBuilt(built)?.parsed).toEqual({
    type: 'recoverNested',
    info: {
      nestedSource: address(1),
      nestedMint: address(2),
      destination: address(3),
      nestedOwner: address(4),
      ownerMint: address(5),
      wallet: address(6),
      tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
    },
  });
  expect(parseBuilt(without(built, 1))).toBeUndefined();
});

test('does not parse a type byte above 2 or a second byte', () => {
  const built = createAssociatedTokenAccountInstruction(payer, account, wallet, mint);
  expect(parseBuilt(withData(built, 3))).toBeUndefined();
  expect(parseBuilt(withData(built, 0, 0))).toBeUndefined();
});

function withData(built: TransactionInstruction, ...data: readonly number[]) {
  return new TransactionInstruction({ ...built, data: Buffer.from(data) });
}
