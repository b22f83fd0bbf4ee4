import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { connection, landed, SOL } from './client.ts';

test('an airdrop arrives to the last lamport once getSignatureStatuses says confirmed', async () => {
  const { publicKey } = Keypair.generate();
  const signature = await connection.requestAirdrop(publicKey, 2 * SOL + 123);
  const slot = await landed(signature);
  expect(await connection.getBalance(publicKey)).toBe(2_000_000_123);

  const { value, context } = await connection.getSignatureStatus(signature);
  expect(value).toMatchObject({ slot, err: null });
  expect(['confirmed', 'finalized']).toContain(value?.confirmationStatus);
  expect(context.slot).toBeGreaterThanOrEqual(slot);
});

test('the status of a signature that was never sent is null', async () => {
  const { value } = await connection.getSignatureStatuses(['5'.repeat(87)], {
    searchTransactionHistory: true,
  });
  expect(value).toEqual([null]);
});

test('one lamport cannot open an account, yet the request has a signature and lands with the error', async () => {
  const { publicKey } = Keypair.generate();
  const signature = await connection.requestAirdrop(publicKey, 1);
  await expect(landed(signature)).rejects.toThrow('InsufficientFundsForRent');
  expect(await connection.getBalance(publicKey)).toBe(0);
});
