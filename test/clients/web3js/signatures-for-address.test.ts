import {
  Keypair,
  PublicKey,
  type SignaturesForAddressOptions,
  TransactionInstruction,
} from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { confirmAll } from '../../../src/devkit/contract/confirmation.ts';
import { connection, fundedKeypair, rpcUrl, SOL, signed, transfer } from './client.ts';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const recipient = Keypair.generate().publicKey;
let first: string;
let second: string;
let third: string;

beforeAll(async () => {
  const payer = await fundedKeypair();
  const send = async (
    instructions: readonly TransactionInstruction[],
    skipPreflight = false,
  ): Promise<string> =>
    await connection.sendRawTransaction((await signed(payer, instructions)).serialize(), { skipPreflight });
  const memo = new TransactionInstruction({
    programId: MEMO_PROGRAM,
    keys: [],
    data: Buffer.from('for the rent'),
  });
  first = await send([transfer(payer, recipient, SOL)]);
  second = await send([memo, transfer(payer, recipient, SOL)]);
  third = await send([transfer(payer, recipient, 1000 * SOL)], true);
  await confirmAll({ rpcUrl }, [first, second, third]);
});

async function signaturesOf(options: SignaturesForAddressOptions = {}): Promise<readonly string[]> {
  return (await connection.getSignaturesForAddress(recipient, options)).map(({ signature }) => signature);
}

test('all transactions of an address come newest first, failed ones too', async () => {
  expect(await signaturesOf()).toEqual([third, second, first]);
});

test('limit, before and until cut the list, both bounds excluded', async () => {
  expect(await signaturesOf({ limit: 1 })).toEqual([third]);
  expect(await signaturesOf({ before: third })).toEqual([second, first]);
  expect(await signaturesOf({ until: first })).toEqual([third, second]);
  expect(await signaturesOf({ before: third, until: first })).toEqual([second]);
  expect(await signaturesOf({ before: first })).toEqual([]);
});

test('an entry tells error and memo', async () => {
  const entries = await connection.getSignaturesForAddress(recipient);
  expect(entries.map(({ err, memo }) => [err, memo])).toEqual([
    [{ InstructionError: [0, { Custom: 1 }] }, null],
    [null, '[12] for the rent'],
    [null, null],
  ]);
});
