import {
  getBase58Encoder,
  getBase64Encoder,
  getTransactionEncoder,
  type KeyPairSigner,
  type Signature,
  type Transaction,
} from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { beforeAll, expect, test } from 'vitest';
import { CONSENSUS } from '../../support/test-ledger.ts';
import { FEE, fundedSigner, landed, newAddress, rpc, SOL, send, signed, transfer } from './client.ts';

let payer: KeyPairSigner;
let recipient: Awaited<ReturnType<typeof newAddress>>;
let sent: Transaction;
let signature: Signature;

beforeAll(async () => {
  payer = await fundedSigner(2n * SOL);
  recipient = await newAddress();
  sent = await signed(payer, [transfer(payer, recipient, SOL)]);
  signature = await send(sent);
  await landed(signature);
});

test('base64 is the wire transaction', async () => {
  const found = await rpc
    .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.transaction[1]).toBe('base64');
  expect(getBase64Encoder().encode(found?.transaction[0] ?? '')).toEqual(
    getTransactionEncoder().encode(sent),
  );
});

test('base58 is the wire transaction', async () => {
  const found = await rpc
    .getTransaction(signature, { encoding: 'base58', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.transaction[1]).toBe('base58');
  expect(getBase58Encoder().encode(found?.transaction[0] ?? '')).toEqual(
    getTransactionEncoder().encode(sent),
  );
});

test('json shows the message with indexes into its keys', async () => {
  const found = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.version).toBe(0);
  expect(found?.transaction.signatures).toEqual([signature]);
  expect(found?.transaction.message.header).toEqual({
    numRequiredSignatures: 1,
    numReadonlySignedAccounts: 0,
    numReadonlyUnsignedAccounts: 1,
  });
  expect(found?.transaction.message.accountKeys).toEqual([payer.address, recipient, SYSTEM_PROGRAM_ADDRESS]);
  expect(found?.transaction.message.instructions).toMatchObject([
    { programIdIndex: 2, accounts: [0, 1], stackHeight: 1 },
  ]);
  expect(found?.meta).toMatchObject({
    err: null,
    status: { Ok: null },
    fee: FEE,
    preBalances: [2n * SOL, 0n, 1n],
    postBalances: [SOL - FEE, SOL, 1n],
    loadedAddresses: { readonly: [], writable: [] },
    computeUnitsConsumed: 150n,
  });
});

test('jsonParsed names the program and what it did', async () => {
  const found = await rpc
    .getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.transaction.message.accountKeys).toEqual([
    { pubkey: payer.address, signer: true, source: 'transaction', writable: true },
    { pubkey: recipient, signer: false, source: 'transaction', writable: true },
    { pubkey: SYSTEM_PROGRAM_ADDRESS, signer: false, source: 'transaction', writable: false },
  ]);
  expect(found?.transaction.message.instructions).toEqual([
    {
      program: 'system',
      programId: SYSTEM_PROGRAM_ADDRESS,
      parsed: { type: 'transfer', info: { source: payer.address, destination: recipient, lamports: SOL } },
      stackHeight: 1,
    },
  ]);
});

test('a transaction that is confirmed is null at finalized until it is final, under alpenglow at once', async () => {
  const fresh = await send(await signed(payer, [transfer(payer, recipient, 5n)]));
  await landed(fresh);
  const config = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 } as const;
  const found = await rpc.getTransaction(fresh, config).send();
  expect(found === null).toBe(CONSENSUS === 'tower');
});
