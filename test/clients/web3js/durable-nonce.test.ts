import { Keypair, NONCE_ACCOUNT_LENGTH, SystemProgram, Transaction } from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { connection, FEE, fundedKeypair, land, landed, SOL, transfer } from './client.ts';

const nonce = Keypair.generate();
let payer: Keypair;

beforeAll(async () => {
  payer = await fundedKeypair();
  const account = {
    fromPubkey: payer.publicKey,
    noncePubkey: nonce.publicKey,
    authorizedPubkey: payer.publicKey,
    lamports: await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH),
  };
  await land(payer, SystemProgram.createNonceAccount(account).instructions, [nonce]);
});

test('a nonce stands in the place of a blockhash, and is used up by it', async () => {
  const recipient = Keypair.generate().publicKey;
  const stored = await connection.getNonce(nonce.publicKey);
  if (stored === null) throw new Error('no nonce account');
  expect(stored.authorizedPubkey).toEqual(payer.publicKey);
  expect(stored.feeCalculator.lamportsPerSignature).toBe(FEE);

  const nonceInstruction = SystemProgram.nonceAdvance({
    noncePubkey: nonce.publicKey,
    authorizedPubkey: payer.publicKey,
  });
  const minContextSlot = await connection.getSlot();
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    minContextSlot,
    nonceInfo: { nonce: stored.nonce, nonceInstruction },
  });
  transaction.add(transfer(payer, recipient, SOL)).sign(payer);
  const wire = transaction.serialize();
  await landed(await connection.sendRawTransaction(wire, { minContextSlot }));
  expect(await connection.getBalance(recipient)).toBe(SOL);
  expect((await connection.getNonce(nonce.publicKey))?.nonce).not.toBe(stored.nonce);
  await expect(connection.sendRawTransaction(wire)).rejects.toThrow('Transaction simulation failed');
});
