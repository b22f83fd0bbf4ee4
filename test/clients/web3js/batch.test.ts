import { Keypair } from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { connection, fundedKeypair, landed, SOL, signed, transfer } from './client.ts';

const UNKNOWN = '5'.repeat(87);
let signatures: readonly string[];

beforeAll(async () => {
  const payer = await fundedKeypair();
  const amounts = [SOL, SOL + 1, SOL + 2];
  signatures = await Promise.all(
    amounts.map(async (amount) => {
      const transaction = await signed(payer, [transfer(payer, Keypair.generate().publicKey, amount)]);
      return await connection.sendRawTransaction(transaction.serialize());
    }),
  );
  await Promise.all(signatures.map((signature) => landed(signature)));
});

test('getTransactions answers one batch in the order it was asked, null for an unknown one', async () => {
  const [first, second, third] = signatures;
  if (!(first && second && third)) throw new Error('three were sent');
  const found = await connection.getTransactions([third, UNKNOWN, first, second], {
    maxSupportedTransactionVersion: 0,
  });
  expect(found.map((entry) => entry?.transaction.signatures[0])).toEqual([third, undefined, first, second]);
  expect(found[0]?.meta?.postBalances[1]).toBe(SOL + 2);
});

test('getParsedTransactions answers one batch in order', async () => {
  const found = await connection.getParsedTransactions([...signatures], {
    maxSupportedTransactionVersion: 0,
  });
  expect(found.map((entry) => entry?.transaction.signatures[0])).toEqual(signatures);
});
