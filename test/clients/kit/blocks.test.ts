import type { Signature } from '@solana/kit';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { FEE, fundedSigner, land, newAddress, rpc, SOL, transfer } from './client.ts';

const COMMON = { maxSupportedTransactionVersion: 1 } as const;
let signature: Signature;
let slot: bigint;
let recipient: Awaited<ReturnType<typeof newAddress>>;

beforeAll(async () => {
  const payer = await fundedSigner(2n * SOL);
  recipient = await newAddress();
  ({ signature, slot } = await land(payer, [transfer(payer, recipient, SOL)]));
});

test('transactionDetails full has each transaction with its meta', async () => {
  const block = await rpc.getBlock(slot, { ...COMMON, encoding: 'json' }).send();
  const found = block?.transactions.find(({ transaction }) => transaction.signatures[0] === signature);
  expect(found?.version).toBe(0);
  expect(found?.meta?.fee).toBe(FEE);
  expect(found?.transaction.message.accountKeys[1]).toBe(recipient);
  expect(block?.parentSlot).toBe(slot - 1n);
});

test('transactionDetails full takes every encoding', async () => {
  const parsed = await rpc.getBlock(slot, { ...COMMON, encoding: 'jsonParsed' }).send();
  const found = parsed?.transactions.find(({ transaction }) => transaction.signatures[0] === signature);
  expect(found?.transaction.message.instructions[0]).toMatchObject({
    program: 'system',
    parsed: { type: 'transfer' },
  });
  const base64 = await rpc.getBlock(slot, { ...COMMON, encoding: 'base64' }).send();
  const base58 = await rpc.getBlock(slot, { ...COMMON, encoding: 'base58' }).send();
  expect(base64?.transactions.map(({ transaction }) => transaction[1])).toEqual(
    parsed?.transactions.map(() => 'base64'),
  );
  expect(base58?.transactions.map(({ transaction }) => transaction[1])).toEqual(
    parsed?.transactions.map(() => 'base58'),
  );
});

test('transactionDetails accounts has keys and balances and no message', async () => {
  const block = await rpc.getBlock(slot, { ...COMMON, transactionDetails: 'accounts' }).send();
  const found = block?.transactions.find(({ transaction }) => transaction.signatures[0] === signature);
  expect(found?.transaction.accountKeys[1]).toEqual({
    pubkey: recipient,
    signer: false,
    source: 'transaction',
    writable: true,
  });
  expect(found?.meta?.postBalances[1]).toBe(SOL);
  expect(found?.meta).not.toHaveProperty('logMessages');
});

test('transactionDetails signatures has the signatures alone', async () => {
  const block = await rpc.getBlock(slot, { ...COMMON, transactionDetails: 'signatures' }).send();
  expect(block?.signatures).toContain(signature);
  expect(block).not.toHaveProperty('transactions');
});

test('transactionDetails none has no transactions, and rewards false no rewards', async () => {
  const block = await rpc.getBlock(slot, { ...COMMON, transactionDetails: 'none', rewards: false }).send();
  expect(block).not.toHaveProperty('transactions');
  expect(block).not.toHaveProperty('signatures');
  expect(block).not.toHaveProperty('rewards');
  expect(block?.blockhash).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
});

test('blocks are chained by their hashes', async () => {
  await eventually('the next block is confirmed', async () =>
    (await rpc.getSlot().send()) > slot ? true : undefined,
  );
  const config = { ...COMMON, transactionDetails: 'none', rewards: false } as const;
  const block = await rpc.getBlock(slot, config).send();
  const next = await rpc.getBlock(slot + 1n, config).send();
  expect(next?.previousBlockhash).toBe(block?.blockhash);
  expect(next?.parentSlot).toBe(slot);
  expect(Number(next?.blockHeight)).toBe(Number(block?.blockHeight) + 1);
});

test('getBlocks and getBlocksWithLimit list the slots in order', async () => {
  const from = slot - 4n;
  const expected = [from, from + 1n, from + 2n, from + 3n, slot];
  expect(await rpc.getBlocks(from, slot).send()).toEqual(expected);
  expect(await rpc.getBlocksWithLimit(from, 5).send()).toEqual(expected);
  expect((await rpc.getBlocks(from).send()).slice(0, 5)).toEqual(expected);
});

test('getBlockTime is the time in the block', async () => {
  const block = await rpc.getBlock(slot, { ...COMMON, transactionDetails: 'none', rewards: false }).send();
  expect(await rpc.getBlockTime(slot).send()).toBe(block?.blockTime);
});
