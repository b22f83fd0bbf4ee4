import { Keypair, Message } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { connection, FEE, fundedKeypair, land, SOL, signed, transfer } from './client.ts';

test('a transfer moves the exact amount and costs 5,000 lamports per signature', async () => {
  const payer = await fundedKeypair(3 * SOL);
  const { publicKey: recipient } = Keypair.generate();
  await land(payer, [transfer(payer, recipient, 1_234_567_891)]);
  expect(await connection.getBalance(recipient)).toBe(1_234_567_891);
  expect(await connection.getBalance(payer.publicKey)).toBe(3 * SOL - 1_234_567_891 - FEE);
});

test('two signatures cost twice the fee, and only the payer pays it', async () => {
  const payer = await fundedKeypair(SOL);
  const source = await fundedKeypair(2 * SOL);
  const { publicKey: recipient } = Keypair.generate();
  const { signature } = await land(payer, [transfer(source, recipient, SOL)], [source]);
  expect(await connection.getBalance(payer.publicKey)).toBe(SOL - 2 * FEE);
  expect(await connection.getBalance(source.publicKey)).toBe(SOL);
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found?.meta?.fee).toBe(2 * FEE);
});

test('getFeeForMessage foretells the fee', async () => {
  const payer = await fundedKeypair(SOL);
  const transaction = await signed(payer, [transfer(payer, Keypair.generate().publicKey, SOL / 2)]);
  const message = Message.from(transaction.serializeMessage());
  expect((await connection.getFeeForMessage(message)).value).toBe(FEE);
});
