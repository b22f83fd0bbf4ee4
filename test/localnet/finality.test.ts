import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { inflationRate } from '../../src/localnet/validator/inflation.ts';
import { newLedger } from './new-ledger.ts';
import { SOL } from './transactions.ts';

const LEVELS = ['processed', 'confirmed', 'finalized'] as const;

test.each([0, 1, 5, 31])('a block is finalized %i slots after it is confirmed', async (finalitySlots) => {
  const { ledger, call, tick } = newLedger({ finalitySlots });
  const slots = async () => await Promise.all(LEVELS.map((commitment) => call('getSlot', { commitment })));
  const start = BigInt(finalitySlots) + 1n;
  expect(await slots()).toEqual([start, start - 1n, 0n]);
  const signature = await call('requestAirdrop', Keypair.generate().publicKey.toBase58(), SOL);
  const status = async () => (await call('getSignatureStatuses', [signature])).value[0];
  expect(await status()).toMatchObject({ confirmationStatus: 'processed', confirmations: 0n });
  for (let slot = 0; slot < finalitySlots; slot++) {
    tick();
    expect(await status()).toMatchObject({
      confirmationStatus: 'confirmed',
      confirmations: BigInt(slot) + 1n,
    });
    expect(await call('getTransaction', signature)).toBeNull();
  }
  tick();
  expect(await status()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
  expect(await call('getTransaction', signature)).toMatchObject({ slot: start });
  expect(await call('getBlock', ledger.slotAt('finalized'))).toMatchObject({ parentSlot: start - 1n });
});

test('rent follows its setting: balances, the sysvar, and what a transaction must leave', async () => {
  for (const lamportsPerByte of [1, 696, 6_960]) {
    const { call } = newLedger({ lamportsPerByte });
    const rent = BigInt(lamportsPerByte);
    expect(await call('getMinimumBalanceForRentExemption', 0)).toBe(128n * rent);
    const { value } = await call('getAccountInfo', 'SysvarRent111111111111111111111111111111111', {
      encoding: 'jsonParsed',
    });
    expect(value?.data).toMatchObject({
      parsed: { type: 'rent', info: { lamportsPerByte: String(rent) } },
    });
    const poor = Keypair.generate().publicKey.toBase58();
    const signature = await call('requestAirdrop', poor, 128n * rent - 1n);
    expect((await call('getSignatureStatuses', [signature])).value[0]?.err).toMatchObject({
      InsufficientFundsForRent: expect.anything(),
    });
  }
});

test.each([200, 400])('with slots of %i ms inflation has fallen by 15 %% after a year', (slotMs) => {
  const yearOfSlots = (365.242199 * 86_400_000) / slotMs;
  expect(inflationRate(0n, slotMs).total).toBe(0.08);
  const { total } = inflationRate(BigInt(Math.round(yearOfSlots)), slotMs);
  expect(total / (0.08 * 0.85)).toBeCloseTo(1, 2);
});
