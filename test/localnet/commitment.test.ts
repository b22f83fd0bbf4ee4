import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { SOL } from './transactions.ts';

const address = Keypair.generate().publicKey.toBase58();

test('starts behind a genesis block and 31 empty ones, so that every commitment has its slot', async () => {
  const { call } = newLedger();
  expect(await call('getSlot', { commitment: 'processed' })).toBe(32n);
  expect(await call('getSlot', { commitment: 'confirmed' })).toBe(31n);
  expect(await call('getSlot')).toBe(0n);
  expect(await call('getBlock', 0, { rewards: false })).toMatchObject({
    parentSlot: 0n,
    blockHeight: 0n,
    transactions: [],
  });
  expect(await call('getBlock', 0, { rewards: false })).not.toHaveProperty('rewards');
});

test('a balance is seen at processed at once, at confirmed a slot later, at finalized 32 slots later', async () => {
  const { call, tick } = newLedger();
  await call('requestAirdrop', address, SOL);
  const balance = async (commitment: 'processed' | 'confirmed' | 'finalized') =>
    (await call('getBalance', address, { commitment })).value;
  expect([await balance('processed'), await balance('confirmed'), await balance('finalized')]).toEqual([
    SOL,
    0n,
    0n,
  ]);
  tick();
  expect([await balance('confirmed'), await balance('finalized')]).toEqual([SOL, 0n]);
  tick(30);
  expect(await balance('finalized')).toBe(0n);
  tick();
  expect(await balance('finalized')).toBe(SOL);
});

test('several changes of an account in one slot and in later slots are told apart by commitment', async () => {
  const { call, tick } = newLedger();
  for (let slot = 1n; slot <= 33n; slot++) {
    await call('requestAirdrop', address, SOL);
    await call('requestAirdrop', address, SOL);
    tick();
  }
  expect((await call('getBalance', address, { commitment: 'processed' })).value).toBe(66n * SOL);
  expect((await call('getBalance', address, { commitment: 'confirmed' })).value).toBe(66n * SOL);
  expect((await call('getBalance', address)).value).toBe(4n * SOL);
});

test('a status goes from processed over confirmed, with its confirmations, to finalized', async () => {
  const { call, tick } = newLedger();
  const signature = await call('requestAirdrop', address, SOL);
  const status = async () => (await call('getSignatureStatuses', [signature])).value[0];
  expect(await status()).toEqual({
    slot: 32n,
    confirmations: 0n,
    status: { Ok: null },
    err: null,
    confirmationStatus: 'processed',
  });
  tick();
  expect(await status()).toMatchObject({ confirmations: 1n, confirmationStatus: 'confirmed' });
  tick(30);
  expect(await status()).toMatchObject({ confirmations: 31n, confirmationStatus: 'confirmed' });
  tick();
  expect(await status()).toMatchObject({ confirmations: null, confirmationStatus: 'finalized' });
});

test('a transaction is null until it has reached the commitment asked for', async () => {
  const { call, tick } = newLedger();
  const signature = await call('requestAirdrop', address, SOL);
  expect(await call('getTransaction', signature, { commitment: 'confirmed' })).toBeNull();
  tick();
  expect(await call('getTransaction', signature, { commitment: 'confirmed' })).toMatchObject({
    slot: 32n,
    transactionIndex: 0,
  });
  expect(await call('getTransaction', signature)).toBeNull();
  tick(31);
  expect(await call('getTransaction', signature, 'base64')).toMatchObject({ slot: 32n });
});

test('without searchTransactionHistory only the recent status cache is read', async () => {
  const { call, tick } = newLedger();
  const signature = await call('requestAirdrop', address, SOL);
  tick(332);
  expect((await call('getSignatureStatuses', [signature])).value[0]).toMatchObject({ slot: 32n });
  tick();
  expect((await call('getSignatureStatuses', [signature])).value).toEqual([null]);
  expect(
    (await call('getSignatureStatuses', [signature], { searchTransactionHistory: true })).value[0],
  ).toMatchObject({ slot: 32n });
});

test('a minContextSlot above the bank is refused with the slot it has', async () => {
  const { refusal, call } = newLedger();
  const error = await refusal('getBalance', address, {
    commitment: 'confirmed',
    minContextSlot: 2n ** 63n - 1n,
  });
  expect([error.code, error.context]).toEqual(['minContextSlotNotReached', { contextSlot: 31n }]);
  expect(
    (await call('getBalance', address, { commitment: 'confirmed', minContextSlot: 31 })).context.slot,
  ).toBe(31n);
});
