import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import { LIMITS } from '../../../generated/localnet/limits.ts';
import { startSlotTimer } from '../../../src/localnet/serve-ledger.ts';
import { fundedWallet, memo, sendNow, signed } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => vi.useRealTimers());

/** A ledger whose slots the timer closes, by the clock of the test. */
function runningLedger(): CheatLedger & { readonly stop: () => void } {
  const test = newCheatLedger({ nowMs: Date.now, slotMs: 200 });
  return { ...test, stop: startSlotTimer(test.ledger, (error) => expect.unreachable(String(error))) };
}

test('slots stand while the ledger is paused, and so does its clock; blocks are made by call', async () => {
  const { cheat, ledger, stop } = runningLedger();
  const { openSlot } = ledger.blocks;
  vi.advanceTimersByTime(1_000);
  expect(ledger.blocks.openSlot).toBe(openSlot + 5n);
  const paused = await cheat('localnet_pause');
  vi.advanceTimersByTime(60_000);
  expect(paused).toMatchObject({ isPaused: true, slot: openSlot + 5n });
  expect(ledger.blocks.openSlot).toBe(paused.slot);
  const mined = await cheat('localnet_mine', 10);
  expect([mined.slot - paused.slot, mined.timestamp - paused.timestamp]).toEqual([10n, 2n]);
  const last = await cheat('localnet_mine');
  expect(last.slot).toBe(mined.slot + 1n);
  const resumed = await cheat('localnet_resume');
  expect(resumed).toEqual({ ...last, isPaused: false });
  vi.advanceTimersByTime(1_000);
  expect(ledger.blocks.openSlot).toBe(resumed.slot + 5n);
  expect(ledger.blocks.time(ledger.blocks.openSlot) - resumed.timestamp).toBeLessThanOrEqual(2n);
  stop();
  vi.advanceTimersByTime(1_000);
  expect(ledger.blocks.openSlot).toBe(resumed.slot + 5n);
});

test('the length of slots changes at once', async () => {
  const { cheat, ledger, stop, call } = runningLedger();
  expect(await cheat('localnet_setBlockProduction', { slotMs: 1_000 })).toMatchObject({ slotMs: 1_000 });
  const { openSlot } = ledger.blocks;
  vi.advanceTimersByTime(120_000);
  expect(ledger.blocks.openSlot).toBe(openSlot + 120n);
  expect((await call('getRecentPerformanceSamples', 1))[0]).toMatchObject({
    numSlots: 60n,
    samplePeriodSecs: 60,
  });
  stop();
});

test('a block for each transaction: the slot closes with the first that lands', async () => {
  const test = runningLedger();
  const wallet = await fundedWallet(test);
  await test.cheat('localnet_setBlockProduction', { mode: 'transaction' });
  const { openSlot } = test.ledger.blocks;
  vi.advanceTimersByTime(10_000);
  expect(test.ledger.blocks.openSlot).toBe(openSlot);
  const signature = await sendNow(test, signed(test, [wallet], memo('one')));
  expect(test.ledger.blocks.openSlot).toBe(openSlot + 1n);
  expect((await test.call('getSignatureStatuses', [signature])).value[0]?.confirmationStatus).toBe(
    'confirmed',
  );
  await test.cheat('localnet_setBlockProduction', { mode: 'interval' });
  vi.advanceTimersByTime(200);
  expect(test.ledger.blocks.openSlot).toBe(openSlot + 2n);
  test.stop();
});

test('limits are named', async () => {
  const { cheatRefusal } = newCheatLedger();
  expect(await cheatRefusal('localnet_mine', 10_001)).toMatch(/blocks is 10001, and the maximum is 10000$/);
  expect(await cheatRefusal('localnet_setBlockProduction', { slotMs: 9 })).toMatch(/and the minimum is 10$/);
  const { minimum, maximum } = CONFIG_INTEGERS['localnet.slot_ms'];
  expect(LIMITS.localnet_setBlockProduction).toEqual({
    'changes.slotMs.minimum': minimum,
    'changes.slotMs.maximum': maximum,
  });
});

test('while the ledger is paused no transaction closes a slot', async () => {
  const test = newCheatLedger();
  await test.cheat('localnet_setBlockProduction', { mode: 'transaction' });
  await test.cheat('localnet_pause');
  const { openSlot } = test.ledger.blocks;
  await fundedWallet(test);
  expect(test.ledger.blocks.openSlot).toBe(openSlot);
});
