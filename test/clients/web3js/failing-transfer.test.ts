import { Keypair, SendTransactionError, type Transaction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { confirmAll } from '../../../src/devkit/contract/confirmation.ts';
import { connection, FEE, fundedKeypair, land, rpcUrl, SOL, signed, transfer } from './client.ts';

async function preflightFailure(transaction: Transaction): Promise<SendTransactionError> {
  const error = await connection.sendRawTransaction(transaction.serialize()).then(
    (signature) => new Error(`accepted as ${signature}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof SendTransactionError) return error;
  throw error;
}

test('preflight refuses a transfer of more than there is, with the logs', async () => {
  const payer = await fundedKeypair(SOL);
  const error = await preflightFailure(
    await signed(payer, [transfer(payer, Keypair.generate().publicKey, 2 * SOL)]),
  );
  expect(error.transactionError.message).toBe(
    'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
  );
  expect(error.logs).toContain('Program 11111111111111111111111111111111 failed: custom program error: 0x1');
  expect(await connection.getBalance(payer.publicKey)).toBe(SOL);
});

test('without preflight the same transfer lands as failed and costs its fee', async () => {
  const payer = await fundedKeypair(SOL);
  const transaction = await signed(payer, [transfer(payer, Keypair.generate().publicKey, 2 * SOL)]);
  const signature = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
  const [status] = await confirmAll({ rpcUrl }, [signature]);
  expect(status?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(await connection.getBalance(payer.publicKey)).toBe(SOL - FEE);
  const found = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found?.meta).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, fee: FEE });
});

test('a payer that does not exist is told in words', async () => {
  const stranger = Keypair.generate();
  const error = await preflightFailure(
    await signed(stranger, [transfer(stranger, Keypair.generate().publicKey, 1)]),
  );
  expect(error.transactionError.message).toBe(
    'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
  );
  expect(error.logs).toEqual([]);
});

test('a blockhash that never was is told in words', async () => {
  const payer = await fundedKeypair(SOL);
  const transaction = await signed(payer, [transfer(payer, Keypair.generate().publicKey, SOL / 2)]);
  transaction.recentBlockhash = Keypair.generate().publicKey.toBase58();
  transaction.sign(payer);
  const error = await preflightFailure(transaction);
  expect(error.transactionError.message).toBe('Transaction simulation failed: Blockhash not found');
});

test('a transaction sent again was processed already', async () => {
  const payer = await fundedKeypair(SOL);
  const transaction = await signed(payer, [transfer(payer, Keypair.generate().publicKey, SOL / 2)]);
  await connection.sendRawTransaction(transaction.serialize());
  await land(payer, [transfer(payer, Keypair.generate().publicKey, SOL / 4)]);
  const error = await preflightFailure(transaction);
  expect(error.transactionError.message).toBe(
    'Transaction simulation failed: This transaction has already been processed',
  );
});
