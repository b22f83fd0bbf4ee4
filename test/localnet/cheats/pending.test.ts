import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { SOL } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

/** A ledger on which no transaction lands by itself within a test. */
const newWaitingLedger = (): CheatLedger => newCheatLedger({ landingDelayMs: 3_600_000 });
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const CONFIRMED = { commitment: 'confirmed' } as const;

async function slotOf({ call }: CheatLedger, signature: string): Promise<bigint | undefined> {
  return (await call('getSignatureStatuses', [signature])).value[0]?.slot;
}

test('the block that is mined next has a transaction that was answered, paused or not', async () => {
  const test = newWaitingLedger();
  for (const isPaused of [false, true]) {
    if (isPaused) await test.cheat('localnet_pause');
    const address = newAddress();
    await test.call('requestAirdrop', address, SOL);
    await test.cheat('localnet_mine');
    expect((await test.call('getBalance', address, CONFIRMED)).value).toBe(SOL);
  }
});

test('it lands before a warp, not after it', async () => {
  const test = newWaitingLedger();
  const { openSlot } = test.ledger.blocks;
  const signature = await test.call('requestAirdrop', newAddress(), SOL);
  await test.cheat('localnet_warp', { slot: openSlot + 10n });
  expect(await slotOf(test, signature)).toBe(openSlot);
});

test('a snapshot contains it, and a restore keeps it', async () => {
  const test = newWaitingLedger();
  const address = newAddress();
  await test.call('requestAirdrop', address, SOL);
  await test.cheat('localnet_snapshot', 'a');
  test.tick();
  await test.cheat('localnet_restore', 'a');
  expect((await test.call('getBalance', address, { commitment: 'processed' })).value).toBe(SOL);
});

test('an account that is set afterwards stays as it was set', async () => {
  const test = newWaitingLedger();
  const address = newAddress();
  const signature = await test.call('requestAirdrop', address, SOL);
  await test.cheat('localnet_setAccount', address, { lamports: 5n });
  expect(await slotOf(test, signature)).toBe(test.ledger.blocks.openSlot);
  expect((await test.call('getBalance', address, { commitment: 'processed' })).value).toBe(5n);
});

test('a trace finds it at once', async () => {
  const test = newWaitingLedger();
  const signature = await test.call('requestAirdrop', newAddress(), SOL);
  expect(await test.cheat('localnet_trace', signature)).toMatchObject({ slot: test.ledger.blocks.openSlot });
});

test('a call that is refused lands nothing', async () => {
  const test = newWaitingLedger();
  const signature = await test.call('requestAirdrop', newAddress(), SOL);
  await test.cheatRefusal('localnet_mine', 0);
  expect(await slotOf(test, signature)).toBeUndefined();
});
