import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { decodeTransaction } from '../../src/core/wire/decode-transaction.ts';
import { newLedger } from './new-ledger.ts';
import { landed, SOL } from './transactions.ts';

test('an airdrop is a transfer from the faucet, and repeats in the same slot', async () => {
  const test = newLedger();
  const address = Keypair.generate().publicKey.toBase58();
  const signatures = [];
  for (let count = 0; count < 5; count++) signatures.push(await test.call('requestAirdrop', address, SOL));
  expect(new Set(signatures).size).toBe(5);
  expect((await test.call('getBalance', address, { commitment: 'processed' })).value).toBe(5n * SOL);
  for (const signature of signatures)
    expect(await landed(test, signature)).toMatchObject({ err: null, fee: 5000n });
});

test('one lamport lands with an error, because it does not make an account free of rent', async () => {
  const test = newLedger();
  const signature = await test.call('requestAirdrop', Keypair.generate().publicKey.toBase58(), 1);
  expect(await landed(test, signature)).toMatchObject({
    err: { InsufficientFundsForRent: { account_index: 1 } },
  });
});

test('more than the faucet holds lands with an error', async () => {
  const test = newLedger();
  const signature = await test.call(
    'requestAirdrop',
    Keypair.generate().publicKey.toBase58(),
    2n ** 64n - 1n,
  );
  expect(await landed(test, signature)).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] } });
});

test('the blockhash can be chosen, and an unknown one makes the airdrop get lost', async () => {
  const test = newLedger();
  const address = Keypair.generate().publicKey.toBase58();
  const { blockhash } = (await test.call('getLatestBlockhash', { commitment: 'finalized' })).value;
  const signature = await test.call('requestAirdrop', address, SOL, { recentBlockhash: blockhash });
  const transaction = test.ledger.blocks.index.find(signature)?.transaction;
  expect(transaction?.message.recentBlockhash).toBe(blockhash);
  expect(transaction && decodeTransaction(transaction.wire)).toEqual(transaction);
  const lost = await test.call('requestAirdrop', address, SOL, { recentBlockhash: address });
  expect(await landed(test, lost)).toBeNull();
});

test('the faucet itself and the system program are addresses like any other', async () => {
  const test = newLedger();
  const faucet = test.ledger.genesis.faucet.address;
  expect(await landed(test, await test.call('requestAirdrop', faucet, SOL))).toMatchObject({ err: null });
  const program = await test.call('requestAirdrop', '11111111111111111111111111111111', SOL);
  expect(await landed(test, program)).toMatchObject({ err: expect.anything() });
});
