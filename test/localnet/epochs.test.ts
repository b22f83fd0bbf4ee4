import { expect, test } from 'vitest';
import { newLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, sendNow, signed } from './transactions.ts';

test('epochs of 32 slots roll in every answer', async () => {
  const { call, ledger, tick } = newLedger({ slotsPerEpoch: 32, finalitySlots: 0 });
  tick(100);
  const slot = await call('getSlot', { commitment: 'confirmed' });
  const epoch = slot / 32n;
  expect(await call('getEpochInfo', { commitment: 'confirmed' })).toMatchObject({
    epoch,
    slotIndex: slot % 32n,
    slotsInEpoch: 32n,
    absoluteSlot: slot,
  });
  expect(await call('getEpochSchedule')).toMatchObject({ slotsPerEpoch: 32n, leaderScheduleSlotOffset: 32n });
  const { identity } = ledger.genesis;
  expect((await call('getLeaderSchedule'))?.[identity.address]).toHaveLength(32);
  expect(await call('getSlotLeaders', Number((epoch + 1n) * 32n), 32)).toHaveLength(32);
  expect((await call('getVoteAccounts')).current[0]?.epochCredits).toHaveLength(Number(epoch) + 1);
  const clock = await call('getAccountInfo', 'SysvarC1ock11111111111111111111111111111111', {
    encoding: 'jsonParsed',
  });
  expect(clock.value?.data).toMatchObject({
    parsed: { info: { epoch, leaderScheduleEpoch: epoch + 1n } },
  });
  const schedule = await call('getAccountInfo', 'SysvarEpochSchedu1e111111111111111111111111', {
    encoding: 'jsonParsed',
  });
  expect(schedule.value?.data).toMatchObject({ parsed: { info: { slotsPerEpoch: 32n } } });
});

test('a ledger starts in the slot that it is warped to', async () => {
  const warpSlot = 1_000_000_000_000n;
  const test = newLedger({ warpSlot });
  const { call, tick, ledger, refusal } = test;
  expect(await call('getSlot', { commitment: 'processed' })).toBe(warpSlot);
  expect(await call('getSlot')).toBe(warpSlot - 32n);
  expect(await call('getFirstAvailableBlock')).toBe(warpSlot - 32n);
  expect((await refusal('getBlock', 0)).code).toBe('blockCleanedUp');
  const wallet = await fundedWallet(test);
  const signature = await sendNow(test, signed(test, [wallet], memo('late')));
  expect(await landed(test, signature)).toMatchObject({ err: null });
  tick(200);
  const block = await call('getBlock', warpSlot, { maxSupportedTransactionVersion: 0 });
  expect(block).toMatchObject({ transactions: { length: 2 }, parentSlot: warpSlot - 1n });
  const clock = ledger.accounts.read(
    'SysvarC1ock11111111111111111111111111111111',
    ledger.slotAt('processed'),
  );
  expect(Buffer.from(clock?.data ?? []).readBigUInt64LE(16)).toBe((warpSlot + 200n) / 432_000n);
});

test('a slot that the chain reaches anyway changes nothing', async () => {
  const { call } = newLedger({ warpSlot: 5n });
  expect(await call('getSlot', { commitment: 'processed' })).toBe(32n);
  expect((await call('getBlock', 0))?.parentSlot).toBe(0n);
});
