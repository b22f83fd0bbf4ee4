import { Keypair, type PublicKey } from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { connection, FEE, fundedKeypair, landReadable, SOL, transfer } from './client.ts';

let recipient: PublicKey;
let signature: string;
let slot: number;

beforeAll(async () => {
  const payer = await fundedKeypair(20 * SOL);
  ({ signature, slot } = await landReadable(payer, () => {
    recipient = Keypair.generate().publicKey;
    return [transfer(payer, recipient, SOL)];
  }));
});

test('transactionDetails full has each transaction with its meta', async () => {
  const block = await connection.getBlock(slot, { maxSupportedTransactionVersion: 0 });
  const found = block?.transactions.find(({ transaction }) => transaction.signatures[0] === signature);
  expect(found?.version).toBe('legacy');
  expect(found?.meta).toMatchObject({ err: null, fee: FEE });
  expect(found?.transaction.message.staticAccountKeys[1]).toEqual(recipient);
  expect(block?.parentSlot).toBe(slot - 1);
});

test('transactionDetails accounts has keys and balances', async () => {
  const config = { transactionDetails: 'accounts', maxSupportedTransactionVersion: 0 } as const;
  const block = await connection.getBlock(slot, config);
  const found = block?.transactions.find(({ transaction }) => transaction.signatures[0] === signature);
  const keys = [{ signer: true }, { pubkey: recipient, signer: false, writable: true }, { writable: false }];
  expect(found?.transaction).toMatchObject({ accountKeys: keys });
  expect(found?.meta?.postBalances[1]).toBe(SOL);
});

test('transactionDetails none and rewards false leave the members out', async () => {
  const config = { transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: 0 } as const;
  const block = await connection.getBlock(slot, config);
  expect(block).not.toHaveProperty('transactions');
  expect(block).not.toHaveProperty('rewards');
  expect(block?.previousBlockhash).not.toBe(block?.blockhash);
});

test('getParsedBlock parses each instruction', async () => {
  const block = await connection.getParsedBlock(slot, { maxSupportedTransactionVersion: 0 });
  const found = block?.transactions.find(({ transaction }) => transaction.signatures[0] === signature);
  expect(found?.transaction).toMatchObject({
    message: { instructions: [{ program: 'system', parsed: { type: 'transfer' } }] },
  });
});

test('getBlockSignatures lists the signatures', async () => {
  expect((await connection.getBlockSignatures(slot, 'confirmed')).signatures).toContain(signature);
});

test('getBlocks lists the slots in order', async () => {
  expect(await connection.getBlocks(slot - 3, slot)).toEqual([slot - 3, slot - 2, slot - 1, slot]);
});

test('the genesis block has no parent and no transactions', async () => {
  const block = await connection.getBlock(0, { maxSupportedTransactionVersion: 0 });
  expect(block?.parentSlot).toBe(0);
  expect(block?.transactions).toEqual([]);
  expect(block?.blockhash).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
});
