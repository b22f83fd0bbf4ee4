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

test('a status is that of the bank at the commitment asked for, and its context too', async () => {
  const { call, tick } = newLedger();
  const old = await call('requestAirdrop', address, SOL);
  tick(32);
  const recent = await call('requestAirdrop', address, SOL);
  tick();
  const young = await call('requestAirdrop', address, SOL);
  const seen = async (commitment: unknown) => {
    const config = { commitment } as { readonly commitment: 'confirmed' };
    const { context, value } = await call('getSignatureStatuses', [old, recent, young], config);
    return [context.slot, ...value.map((status) => status?.confirmations)];
  };
  for (const commitment of ['processed', null, undefined, 'recent', 'max', 'singleGossip'])
    expect(await seen(commitment)).toEqual([65n, null, 1n, 0n]);
  expect(await seen('confirmed')).toEqual([64n, null, 0n, undefined]);
  expect(await seen('finalized')).toEqual([33n, null, undefined, undefined]);
});

test.each(['processed', 'confirmed', 'finalized'] as const)(
  'a minContextSlot of statuses is held against the bank at %s',
  async (commitment) => {
    const { ledger, call, refusal } = newLedger();
    const slot = ledger.slotAt(commitment);
    const config = { commitment, minContextSlot: slot };
    expect((await call('getSignatureStatuses', [], config)).context.slot).toBe(slot);
    const error = await refusal('getSignatureStatuses', [], { ...config, minContextSlot: slot + 1n });
    expect(error).toMatchObject({ code: 'minContextSlotNotReached', context: { contextSlot: slot } });
  },
);

test('a minContextSlot of getTransaction is held against the bank, whatever is known of the signature', async () => {
  const { call, refusal } = newLedger();
  const signature = '1'.repeat(64);
  expect(await call('getTransaction', signature, { minContextSlot: 0 })).toBeNull();
  const error = await refusal('getTransaction', signature, { commitment: 'confirmed', minContextSlot: 32 });
  expect(error).toMatchObject({ code: 'minContextSlotNotReached', context: { contextSlot: 31n } });
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
