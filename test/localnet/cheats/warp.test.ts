import { Authorized, Keypair, StakeProgram, PublicKey } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../../support/new-directory.ts';
import { everything, keptLedger } from '../disk/kept-ledger.ts';
import { callMethod } from '../../../src/localnet/call-method.ts';
import { fundedWallet, landed, memo, sendNow, signed, SOL } from '../transactions.ts';
import { serveLedger } from '../subscriptions/serve-ledger.ts';
import { newCheatLedger } from './new-cheat-ledger.ts';
import { SLOT_MS, type TestLedger } from '../new-ledger.ts';

const directory = useNewDirectory();
const CONFIRMED = { commitment: 'confirmed' } as const;
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const STAKE_HISTORY = 'SysvarStakeHistory1111111111111111111111111';

async function parsed<T>({ call }: TestLedger, address: string): Promise<T> {
  const { value } = await call('getAccountInfo', address, {
    commitment: 'processed',
    encoding: 'jsonParsed',
  });
  return (value as unknown as { readonly data: { readonly parsed: { readonly info: T } } }).data.parsed.info;
}

type Clock = { slot: bigint; epoch: bigint; unixTimestamp: bigint; epochStartTimestamp: bigint };

test('slots and time advance together; closed slots stay, and skipped slots say so', async () => {
  const test = newCheatLedger();
  const { call, cheat, ledger } = test;
  const wallet = await fundedWallet(test);
  const signature = await sendNow(test, signed(test, [wallet], memo('before')));
  const [before, time] = [ledger.blocks.openSlot, ledger.blocks.time(ledger.blocks.openSlot)];
  const target = before + 1_000_000n;
  const position = await cheat('localnet_warp', { slot: target });
  const seconds = (1_000_000n * BigInt(SLOT_MS)) / 1_000n;
  expect(position).toMatchObject({
    slot: target,
    epoch: 2n,
    timestamp: time + seconds,
    blockHeight: before + 513n,
  });
  expect(await parsed<Clock>(test, CLOCK)).toMatchObject({
    slot: target,
    epoch: 2n,
    unixTimestamp: time + seconds,
  });
  expect(await call('getBlockTime', target - 1n)).toBe(time + seconds - 1n);
  expect(await call('getSlot', CONFIRMED)).toBe(target - 1n);
  expect(await call('getSlot')).toBe(target - 32n);
  expect(await call('getBlockHeight')).toBe(before + 513n - 32n);
  expect((await call('getEpochInfo', CONFIRMED)).blockHeight).toBe(before + 512n);
  expect((await call('getTransaction', signature))?.slot).toBe(before);
  expect((await test.refusal('getBlock', before + 1n)).code).toBe('slotSkipped');
  const block = await call('getBlock', target - 512n);
  expect(block).toMatchObject({ parentSlot: before, blockHeight: before + 1n });
  expect(await call('getBlocks', target - 500_000n, target)).toHaveLength(512 - 31);
  expect(await call('getBlocks', before - 1n, before + 9n)).toEqual([before - 1n, before]);
  const { value } = await call('getBlockProduction', { commitment: 'processed' });
  const { firstSlot, lastSlot } = value.range;
  expect(Object.values(value.byIdentity)).toEqual([[lastSlot - firstSlot + 1n, 513n]]);
  expect(await landed(test, await sendNow(test, signed(test, [wallet], memo('after'))))).toMatchObject({
    err: null,
  });
});

test('the slot history has a bit for each slot with a block', async () => {
  const { call, cheat, ledger } = newCheatLedger();
  const before = ledger.blocks.openSlot;
  await cheat('localnet_warp', { slot: 10_000n });
  const { value } = await call('getAccountInfo', 'SysvarS1otHistory11111111111111111111111111', {
    commitment: 'processed',
    encoding: 'base64',
  });
  const bytes = Buffer.from((value as unknown as { readonly data: readonly [string] }).data[0], 'base64');
  const has = (slot: bigint): boolean =>
    ((bytes[9 + Number(slot / 8n)] ?? 0) & (1 << Number(slot % 8n))) !== 0;
  const seen = [before, before + 1n, 9_487n, 9_488n, 10_000n, 10_001n].map(has);
  expect(seen).toEqual([true, false, false, true, true, false]);
});

test('a few slots are closed one after the other, and none is skipped', async () => {
  const { call, cheat, ledger } = newCheatLedger();
  const before = ledger.blocks.openSlot;
  await cheat('localnet_warp', { slot: before + 513n });
  expect(await call('getBlocks', before, before + 513n, CONFIRMED)).toHaveLength(513);
});

test('to an epoch: its stake is active, and the stake history has no hole', async () => {
  const test = newCheatLedger({ slotsPerEpoch: 2_000 });
  const { cheat, ledger, call } = test;
  const wallet = await fundedWallet(test, 100n * SOL);
  const { publicKey } = wallet;
  const stake = Keypair.generate();
  const vote = new PublicKey(ledger.genesis.voteAddress);
  const created = StakeProgram.createAccount({
    fromPubkey: publicKey,
    stakePubkey: stake.publicKey,
    lamports: 10_000_000_000,
    authorized: new Authorized(publicKey, publicKey),
  });
  const delegated = StakeProgram.delegate({
    stakePubkey: stake.publicKey,
    authorizedPubkey: publicKey,
    votePubkey: vote,
  });
  const text = signed(test, [wallet, stake], ...created.instructions, ...delegated.instructions);
  expect(await landed(test, await sendNow(test, text))).toMatchObject({ err: null });
  const before = (await call('getVoteAccounts', CONFIRMED)).current[0]?.activatedStake ?? 0n;
  const { slot, epoch } = await cheat('localnet_warp', { epoch: 7n });
  expect([slot, epoch]).toEqual([14_000n, 7n]);
  const history = await parsed<readonly { epoch: bigint; stakeHistory: { effective: bigint } }[]>(
    test,
    STAKE_HISTORY,
  );
  expect(history.map((each) => each.epoch)).toEqual([6n, 5n, 4n, 3n, 2n, 1n, 0n]);
  const after = (await call('getVoteAccounts', CONFIRMED)).current[0]?.activatedStake ?? 0n;
  const rent = ledger.runtime.rentExemption(200n);
  const own = await call('getBalance', ledger.genesis.stakeAddress, CONFIRMED);
  expect(own.value - rent).toBeGreaterThan(before);
  expect(after).toBe(own.value - rent + 10_000_000_000n - rent);
  const { epochStartTimestamp, unixTimestamp } = await parsed<Clock>(test, CLOCK);
  expect(epochStartTimestamp).toBe(unixTimestamp);
});

test('to a timestamp: exactly that, over as many slots as fit in between', async () => {
  const test = newCheatLedger();
  const { cheat, ledger } = test;
  const { openSlot } = ledger.blocks;
  const wanted = ledger.blocks.time(openSlot) + 86_400n;
  expect(await cheat('localnet_warp', { timestamp: wanted })).toMatchObject({
    timestamp: wanted,
    slot: openSlot + 216_000n,
  });
  expect((await parsed<Clock>(test, CLOCK)).unixTimestamp).toBe(wanted);
  test.tick(5);
  expect(ledger.blocks.time(ledger.blocks.openSlot)).toBe(wanted + 2n);
});

test('not backwards, nor out of range, and it says so', async () => {
  const { cheatRefusal, ledger } = newCheatLedger();
  const { openSlot } = ledger.blocks;
  const now = ledger.blocks.time(openSlot);
  expect(await cheatRefusal('localnet_warp', { slot: openSlot })).toBe(
    `Invalid param: slot ${openSlot} is not after the open slot, ${openSlot}; localnet_restore goes back`,
  );
  expect(await cheatRefusal('localnet_warp', { epoch: 0 })).toMatch(/epoch 0 is not after/);
  expect(await cheatRefusal('localnet_warp', { timestamp: now })).toMatch(
    /is not after that of the open slot/,
  );
  for (const target of [{ slot: 2n ** 60n }, { epoch: 2n ** 63n }, { timestamp: 2n ** 62n }])
    expect(await cheatRefusal('localnet_warp', target)).toMatch(/is too far away/);
  expect(await cheatRefusal('localnet_warp', { hour: 1 })).toMatch(/did not match|expected/);
  expect(ledger.blocks.openSlot).toBe(openSlot);
});

test('a timestamp in milliseconds is refused with its unit; one 1,000 years ahead is not', async () => {
  const { cheat, cheatRefusal, ledger } = newCheatLedger();
  const now = ledger.blocks.time(ledger.blocks.openSlot);
  for (const timestamp of [now * 1_000n, now + 31_557_600_001n])
    expect(await cheatRefusal('localnet_warp', { timestamp })).toBe(
      `Invalid param: timestamp ${timestamp} is too far away, more than 1,000 years ahead; it is in seconds since 1970, not in milliseconds`,
    );
  const timestamp = now + 31_557_600_000n;
  expect(await cheat('localnet_warp', { timestamp })).toMatchObject({ timestamp });
});

test('subscribers receive the slots that have a block, as one chain', async () => {
  const { tick, connect, ledger } = await serveLedger({}, { cheatCodes: true });
  const client = await connect();
  const id = await client.subscribe('slotSubscribe');
  const before = Number(ledger.blocks.openSlot);
  await client.call('localnet_warp', { slot: 1_000_000 });
  tick();
  const slots = (await client.notificationsOf(id)) as readonly {
    slot: number;
    parent: number;
    root: number;
  }[];
  expect(slots).toHaveLength(514);
  expect(slots[0]).toEqual({ slot: 999_488, parent: before, root: before - 31 });
  expect(slots.at(-1)).toEqual({ slot: 1_000_001, parent: 1_000_000, root: 999_969 });
  for (const [index, { parent }] of slots.slice(1).entries()) expect(parent).toBe(slots[index]?.slot);
  expect(new Set(slots.map(({ root }) => root)).size).toBe(514);
});

test('a validator that votes keeps voting', async () => {
  const { cheat, ledger, call } = newCheatLedger({ votes: true });
  for (const slot of [5_000n, 5_100n, 3_000_000_000n]) {
    await cheat('localnet_warp', { slot });
    for (let each = slot - 512n; each < slot; each++)
      for (const record of ledger.blocks.transactions(each))
        expect([record.slot, record.meta.err]).toEqual([each, null]);
    expect((await call('getVoteAccounts', CONFIRMED)).current[0]?.lastVote).toBe(slot - 2n);
  }
});

test('performance samples tell the length of slots, not the warp', async () => {
  const { cheat, call, ledger } = newCheatLedger();
  await cheat('localnet_warp', { slot: ledger.blocks.openSlot + 100_000n });
  const samples = await call('getRecentPerformanceSamples', 10);
  expect(samples.length).toBeGreaterThan(1);
  for (const { numSlots, samplePeriodSecs } of samples)
    expect(Math.abs(Number(numSlots) / samplePeriodSecs - 1000 / SLOT_MS)).toBeLessThan(0.1);
});

test('a ledger on disk continues where it was warped to, at its own time', async () => {
  const first = await keptLedger(directory(), { cheatCodes: true });
  const wallet = await fundedWallet(first);
  await callMethod(first.ledger, 'localnet_warp', [{ slot: 1_000_000 }]);
  first.tick(40);
  await sendNow(first, signed(first, [wallet], memo('late')));
  first.tick();
  const addresses = [wallet.publicKey.toBase58()];
  const before = await everything(first, addresses);
  const { epochStartTimestamp } = await parsed<Clock>(first, CLOCK);
  const time = first.ledger.blocks.time(first.ledger.blocks.openSlot);
  await first.kill();
  const second = await keptLedger(directory(), { cheatCodes: true });
  expect(await everything(second, addresses)).toEqual(before);
  expect((await parsed<Clock>(second, CLOCK)).epochStartTimestamp).toBe(epochStartTimestamp);
  second.tick(10);
  expect(second.ledger.blocks.time(second.ledger.blocks.openSlot) - time).toBe(4n);
  await second.kill();
});
