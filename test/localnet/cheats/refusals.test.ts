import { Keypair } from '@solana/web3.js';
import { NATIVE_MINT } from '@solana/spl-token';
import { expect, test } from 'vitest';
import { newCheatLedger } from './new-cheat-ledger.ts';

const newAddress = (): string => Keypair.generate().publicKey.toBase58();

test('a number out of its bounds is told with the bound that it breaks', async () => {
  const { cheatRefusal } = newCheatLedger();
  expect(await cheatRefusal('localnet_mine', 0)).toBe('Invalid params: blocks is 0, and the minimum is 1');
  expect(await cheatRefusal('localnet_mine', 10_001)).toBe(
    'Invalid params: blocks is 10001, and the maximum is 10000',
  );
  expect(await cheatRefusal('localnet_setBlockProduction', { slotMs: 9 })).toBe(
    'Invalid params: changes.slotMs is 9, and the minimum is 10',
  );
});

test('a member that a cheat code does not know is refused by name, and so is a second target', async () => {
  const { cheatRefusal, cheat, ledger } = newCheatLedger();
  expect(await cheatRefusal('localnet_setAccount', newAddress(), { lamport: 5 })).toBe(
    'Invalid param: changes has no member lamport; it has lamports, data, owner, executable',
  );
  expect(await cheatRefusal('localnet_warp', { slot: 1_000, speed: 2 })).toMatch(
    /target has no member speed/,
  );
  expect(await cheatRefusal('localnet_warp', { slot: 1_000, epoch: 3 })).toBe(
    'Invalid param: target has one of slot, epoch, timestamp, and not slot and epoch',
  );
  expect(await cheatRefusal('surfnet_timeTravel', { absoluteSlot: 1_000, absoluteEpoch: 3 })).toMatch(
    /not absoluteSlot and absoluteEpoch/,
  );
  expect(await cheat('localnet_setBlockProduction', { slotMs: 20 })).toMatchObject({ slotMs: 20 });
  expect(ledger.blocks.openSlot).toBeLessThan(1_000n);
});

test('a time is told in the unit in which it was given', async () => {
  const { cheatRefusal, ledger } = newCheatLedger();
  const seconds = ledger.blocks.time(ledger.blocks.openSlot);
  expect(await cheatRefusal('surfnet_timeTravel', { absoluteTimestamp: 1_234 })).toBe(
    `Invalid param: absoluteTimestamp 1234 is not after that of the open slot, ${seconds}000; localnet_restore goes back`,
  );
  expect(await cheatRefusal('localnet_warp', { timestamp: 1 })).toBe(
    `Invalid param: timestamp 1 is not after that of the open slot, ${seconds}; localnet_restore goes back`,
  );
  expect(await cheatRefusal('surfnet_timeTravel', { absoluteSlot: 1 })).toMatch(
    /absoluteSlot 1 is not after/,
  );
});

test('more wrapped lamports than an account can have are refused with the amount', async () => {
  const { cheatRefusal } = newCheatLedger();
  const amount = 2n ** 64n - 1n;
  expect(
    await cheatRefusal('localnet_setTokenAccount', newAddress(), NATIVE_MINT.toBase58(), { amount }),
  ).toMatch(
    /an account that wraps 18446744073709551615 lamports has \d+ more for rent, \d+ in all; the most is 18446744073709551615/,
  );
});
