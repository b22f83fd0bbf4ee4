import { Keypair, SystemProgram, type Transaction } from '@solana/web3.js';
import { base58 } from '@scure/base';
import { beforeAll, expect, test } from 'vitest';
import { call } from '../../../src/devkit/contract/json-rpc.ts';
import { CONSENSUS } from '../../support/test-ledger.ts';
import { connection, FEE, fundedKeypair, landed, rpcUrl, SOL, signed, transfer } from './client.ts';

const LEVEL = { commitment: 'confirmed' } as const;
const recipient = Keypair.generate().publicKey;
let payer: Keypair;
let sent: Transaction;
let signature: string;

beforeAll(async () => {
  payer = await fundedKeypair(2 * SOL);
  sent = await signed(payer, [transfer(payer, recipient, SOL)]);
  signature = await connection.sendRawTransaction(sent.serialize());
  await landed(signature);
});

test('getTransaction gives the message and the balances', async () => {
  const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found?.version).toBe('legacy');
  expect(found?.transaction.signatures).toEqual([signature]);
  expect(Buffer.from(found?.transaction.message.serialize() ?? [])).toEqual(sent.serializeMessage());
  expect(found?.meta).toMatchObject({
    err: null,
    fee: FEE,
    preBalances: [2 * SOL, 0, 1],
    postBalances: [SOL - FEE, SOL, 1],
    logMessages: [
      'Program 11111111111111111111111111111111 invoke [1]',
      'Program 11111111111111111111111111111111 success',
    ],
    computeUnitsConsumed: 150,
  });
});

test('getParsedTransaction names the program and what it did', async () => {
  const found = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(found?.transaction.message.instructions).toMatchObject([
    {
      program: 'system',
      programId: SystemProgram.programId,
      parsed: {
        type: 'transfer',
        info: { source: payer.publicKey.toBase58(), destination: recipient.toBase58(), lamports: SOL },
      },
    },
  ]);
  const keys = found?.transaction.message.accountKeys.map(({ pubkey, signer, writable }) => [
    pubkey.toBase58(),
    signer,
    writable,
  ]);
  expect(keys).toEqual([
    [payer.publicKey.toBase58(), true, true],
    [recipient.toBase58(), false, true],
    [SystemProgram.programId.toBase58(), false, false],
  ]);
});

test('base58, base64 and the legacy binary are the wire transaction', async () => {
  const wire = sent.serialize();
  const encoded = async (encoding: string): Promise<unknown> => {
    const found = await call({ rpcUrl }, 'getTransaction', [signature, { encoding, ...LEVEL }]);
    return (found as { transaction: unknown }).transaction;
  };
  expect(await encoded('base64')).toEqual([wire.toString('base64'), 'base64']);
  expect(await encoded('base58')).toEqual([base58.encode(wire), 'base58']);
  expect(await encoded('binary')).toBe(base58.encode(wire));
});

test('a transaction that is confirmed is null at finalized until it is final, under alpenglow at once', async () => {
  const fresh = await connection.sendRawTransaction(
    (await signed(payer, [transfer(payer, recipient, 5)])).serialize(),
  );
  await landed(fresh);
  const config = { commitment: 'finalized', maxSupportedTransactionVersion: 0 } as const;
  expect((await connection.getTransaction(fresh, config)) === null).toBe(CONSENSUS === 'tower');
});
