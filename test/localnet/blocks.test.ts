import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger, SLOT_MS } from './new-ledger.ts';
import { fundedWallet, sendNow, signed, SOL, transfer } from './transactions.ts';

test('every slot has a block that names its parent', async () => {
  const { call, tick } = newLedger();
  tick(5);
  const slots = await call('getBlocks', 0, null, { commitment: 'confirmed' });
  expect(slots).toEqual(Array.from({ length: 37 }, (_, slot) => BigInt(slot)));
  for (const slot of slots.slice(1)) {
    const block = await call('getBlock', slot, { commitment: 'confirmed' });
    const parent = await call('getBlock', slot - 1n, { commitment: 'confirmed' });
    expect(block).toMatchObject({
      parentSlot: slot - 1n,
      blockHeight: slot,
      previousBlockhash: parent?.blockhash,
    });
  }
});

test('a blockhash is the hash over its parent, its slot and its transactions', async () => {
  const test = newLedger();
  test.tick();
  const [empty, parent] = await Promise.all([
    test.call('getBlock', 32, { commitment: 'confirmed' }),
    test.call('getBlock', 31, { commitment: 'confirmed' }),
  ]);
  const slot = Buffer.alloc(8);
  slot.writeBigUInt64LE(32n);
  const expected = createHash('sha256')
    .update(base58.decode(parent?.blockhash ?? ''))
    .update(slot)
    .digest();
  expect(empty?.blockhash).toBe(base58.encode(expected));
});

test('a block shows its transactions in order, under every detail', async () => {
  const test = newLedger();
  const { call, tick } = test;
  const wallet = await fundedWallet(test);
  const sent = [];
  for (const lamports of [1n, 2n, 3n])
    sent.push(
      await sendNow(
        test,
        signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, SOL + lamports)),
      ),
    );
  tick();
  const signatures = await call('getBlock', 32, {
    commitment: 'confirmed',
    transactionDetails: 'signatures',
  });
  expect(signatures).toMatchObject({ signatures: [expect.any(String), ...sent] });
  const full = await call('getBlock', 32, { commitment: 'confirmed', encoding: 'base64' });
  expect(full).toMatchObject({ rewards: [], transactions: [{}, {}, {}, {}] });
  expect(
    await call('getBlock', 32, { commitment: 'confirmed', transactionDetails: 'none' }),
  ).not.toHaveProperty('transactions');
});

test('a block is not available beyond the commitment, and its slot is echoed exactly', async () => {
  const { refusal } = newLedger();
  const future = 2n ** 63n - 1n;
  expect((await refusal('getBlock', 32n, { commitment: 'confirmed' })).message).toBe(
    'Block not available for slot 32',
  );
  expect((await refusal('getBlock', 31n)).message).toBe('Block not available for slot 31');
  expect((await refusal('getBlockTime', future)).message).toBe(`Block not available for slot ${future}`);
});

test('the time of a block is that of the clock when its slot opened', async () => {
  const { call, tick } = newLedger();
  const start = await call('getBlockTime', 32);
  tick(10);
  expect(await call('getBlockTime', 42)).toBe((start ?? 0n) + BigInt((10 * SLOT_MS) / 1000));
  expect(await call('getBlockTime', 0)).toBe((start ?? 0n) - 13n);
});

test('getBlocks takes the config in the place of the end, and getBlocksWithLimit counts', async () => {
  const { call } = newLedger();
  expect(await call('getBlocks', 28, { commitment: 'confirmed' })).toEqual([28n, 29n, 30n, 31n]);
  expect(await call('getBlocks', 28, 29, { commitment: 'confirmed' })).toEqual([28n, 29n]);
  expect(await call('getBlocks', 9, 8)).toEqual([]);
  expect(await call('getBlocksWithLimit', 5, 3, { commitment: 'confirmed' })).toEqual([5n, 6n, 7n]);
  expect(await call('getBlocksWithLimit', 5, 0, { commitment: 'confirmed' })).toEqual([]);
});

test('the transaction count includes failed transactions and follows the commitment', async () => {
  const test = newLedger();
  const { call, tick } = test;
  const wallet = await fundedWallet(test);
  await sendNow(test, signed(test, [wallet], transfer(wallet, Keypair.generate().publicKey, 1n)));
  expect(await call('getTransactionCount', { commitment: 'processed' })).toBe(2n);
  expect(await call('getTransactionCount', { commitment: 'confirmed' })).toBe(0n);
  tick();
  expect(await call('getTransactionCount', { commitment: 'confirmed' })).toBe(2n);
  expect(await call('getEpochInfo', { commitment: 'confirmed' })).toMatchObject({
    transactionCount: 2n,
    absoluteSlot: 32n,
  });
});
