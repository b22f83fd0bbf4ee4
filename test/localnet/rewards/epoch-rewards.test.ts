import { Authorized, Keypair, PublicKey, StakeProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { epochInflation } from '../../../src/localnet/validator/inflation.ts';
import { readDelegation } from '../../../src/localnet/validator/delegation.ts';
import type { Ledger } from '../../../src/localnet/ledger.ts';
import type { LedgerSnapshot } from '../../../src/localnet/ledger-state.ts';
import { loadState, saveState } from '../../../src/localnet/saved/save-state.ts';
import { readSaved, savedBytes } from '../../../src/localnet/saved/saved-state.ts';
import { warpTo } from '../../../src/localnet/time/warp.ts';
import { newLedger, SLOT_MS, type TestLedger } from '../new-ledger.ts';
import { fundedWallet, landed, sendNow, signed, SOL } from '../transactions.ts';
import { setCommission } from './set-commission.ts';

const SLOTS_PER_EPOCH = 32;
const CONFIRMED = { commitment: 'confirmed' } as const;
const SYSVAR = 'SysvarEpochRewards1111111111111111111111111';
/** In each slot of an epoch that is voted for. */
const CREDITS = 32n * 16n;

/** Closes slots until one is open. */
function open({ ledger, tick }: TestLedger, slot: bigint): void {
  while (ledger.blocks.openSlot < slot) tick();
}

async function sysvarOf({ call }: TestLedger): Promise<object> {
  const { value } = await call('getAccountInfo', SYSVAR, { commitment: 'processed', encoding: 'jsonParsed' });
  const data = value?.data as unknown as { parsed: { info: object } } | undefined;
  return data?.parsed.info ?? {};
}

const supplyOf = async ({ call }: TestLedger, commitment: 'processed' | 'confirmed' = 'confirmed') =>
  (await call('getSupply', { commitment })).value.total;
async function blockAt({ call }: TestLedger, slot: bigint) {
  const block = await call('getBlock', slot, { ...CONFIRMED, transactionDetails: 'none' });
  if (block === null) throw new Error(`slot ${slot} has no block`);
  return block;
}
const rewardsOf = async (run: TestLedger, slot: bigint) => (await blockAt(run, slot)).rewards;

test('the first block of an epoch computes what the last one earned, the next one pays stakes', async () => {
  const run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH });
  const { call, refusal, tick, ledger } = run;
  const { voteAddress: vote, stakeAddress: stake, stakeLamports } = ledger.genesis;
  open(run, 64n);
  const before = await supplyOf(run);
  const amount = epochInflation({ supply: before, firstSlot: 64n, slotsPerEpoch: 32n, slotMs: SLOT_MS });
  const held = ledger.accounts.read(stake, 64n)?.lamports ?? 0n;
  const sysvar = {
    distributionStartingBlockHeight: 65n,
    numPartitions: 1n,
    active: true,
    parentBlockhash: ledger.blocks.blockhash(63n),
    totalPoints: `${stakeLamports * CREDITS}`,
    totalRewards: `${amount}`,
    distributedRewards: '0',
  };
  expect(await sysvarOf(run)).toEqual(sysvar);
  const asked = { ...CONFIRMED, epoch: 1 };
  expect((await refusal('getInflationReward', [vote], asked)).message).toBe(
    'Block not available for slot 64',
  );
  tick();
  const voting = { epoch: 1n, effectiveSlot: 64n, amount: 0n, commission: null, commissionBps: 0 };
  expect(await call('getInflationReward', [vote], asked)).toMatchObject([voting]);
  expect(await refusal('getInflationReward', [vote, stake], asked)).toMatchObject({
    code: 'epochRewardsActive',
    message: 'Epoch rewards period still active at slot 64',
    context: { slot: 64n, currentBlockHeight: 64n, rewardsCompleteBlockHeight: 66n },
  });
  expect(await supplyOf(run)).toBe(before);
  const due = () => ledger.blocks.rewards(64n)?.due;
  expect(due()).toMatchObject([{ address: stake, lamports: amount }]);
  tick();
  expect(due()).toEqual([]);
  expect(await sysvarOf(run)).toEqual({ ...sysvar, distributedRewards: `${amount}`, active: false });
  expect(await supplyOf(run)).toBe(before + amount);
  const staking = { amount, postBalance: held + amount, commission: null, commissionBps: 0 };
  expect(await call('getInflationReward', [stake, SYSVAR, vote, stake], asked)).toMatchObject([
    { epoch: 1n, effectiveSlot: 65n, ...staking },
    null,
    voting,
    { epoch: 1n, effectiveSlot: 65n, ...staking },
  ]);
  const account = ledger.accounts.read(stake, 66n);
  expect(account === undefined ? undefined : readDelegation(account)).toMatchObject({
    stake: stakeLamports + amount,
    creditsObserved: CREDITS,
  });
  expect(ledger.runtime.read(stake)).toEqual(account);
  expect([await blockAt(run, 63n), await blockAt(run, 64n), await blockAt(run, 65n)]).toMatchObject([
    { rewards: [] },
    {
      numRewardPartitions: 1n,
      rewards: [{ pubkey: vote, rewardType: 'Voting', lamports: 0n, commissionBps: 0 }],
    },
    { rewards: [{ pubkey: stake, rewardType: 'Staking', lamports: amount, postBalance: held + amount }] },
  ]);
  expect(await blockAt(run, 65n)).not.toHaveProperty('numRewardPartitions');
});

test('a vote account is paid its commission of what its stakes earned, and a collector in its place', async () => {
  const run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH, votes: true });
  const { ledger, tick } = run;
  const { voteAddress: vote, stakeAddress: stake } = ledger.genesis;
  setCommission(ledger, { bps: 1_000 });
  open(run, 66n);
  const sysvar = (await sysvarOf(run)) as { totalRewards: string; distributedRewards: string };
  const total = BigInt(sysvar.totalRewards);
  const voter = total / 10n;
  const held = ledger.accounts.read(vote, 63n)?.lamports ?? 0n;
  expect(await rewardsOf(run, 64n)).toEqual([
    {
      pubkey: vote,
      rewardType: 'Voting',
      lamports: voter,
      postBalance: held + voter,
      commission: null,
      commissionBps: 1_000,
    },
  ]);
  expect(await rewardsOf(run, 65n)).toMatchObject([{ pubkey: stake, lamports: (total * 9n) / 10n }]);
  expect(BigInt(sysvar.distributedRewards)).toBe(voter + (total * 9n) / 10n);
  const collector = Keypair.generate().publicKey.toBase58();
  setCommission(ledger, { bps: 2_500, collector });
  open(run, 97n);
  tick();
  expect(await rewardsOf(run, 96n)).toMatchObject([
    { pubkey: collector, rewardType: 'Voting', commissionBps: 2_500 },
  ]);
  setCommission(ledger, { bps: 2_500, collector: stake });
  const before = ledger.accounts.read(vote, 97n)?.lamports;
  open(run, 130n);
  expect(await rewardsOf(run, 128n)).toEqual([]);
  expect(ledger.accounts.read(vote, 129n)?.lamports).toBe(before);
});

test('stakes of users earn by what is effective, and their program refuses changes until they are paid', async () => {
  const run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH });
  const { call, ledger, tick } = run;
  const wallet = await fundedWallet(run, 100n * SOL);
  const [stake, late] = [Keypair.generate(), Keypair.generate()];
  const authorized = new Authorized(wallet.publicKey, wallet.publicKey);
  const votePubkey = new PublicKey(ledger.genesis.voteAddress);
  const stakeWith = ({ publicKey: stakePubkey }: Keypair) => [
    ...StakeProgram.createAccount({
      fromPubkey: wallet.publicKey,
      stakePubkey,
      authorized,
      lamports: 20_000_000_000,
    }).instructions,
    ...StakeProgram.delegate({ stakePubkey, authorizedPubkey: wallet.publicKey, votePubkey }).instructions,
  ];
  const send = async (signers: readonly Keypair[], ...instructions: Parameters<typeof signed>[2][]) =>
    await landed(run, await sendNow(run, signed(run, [wallet, ...signers], ...instructions)));
  // Slot 32, with which it begins, is the first one of an epoch.
  tick();
  expect(await send([stake], ...stakeWith(stake))).toMatchObject({ err: null });
  open(run, 64n);
  // The first instruction of the stake program (StakeError::EpochRewardsActive).
  expect(await send([late], ...stakeWith(late))).toMatchObject({
    err: { InstructionError: [1, { Custom: 16 }] },
  });
  tick();
  const simulated = async (commitment: 'processed' | 'confirmed') => {
    const text = signed(run, [wallet, late], ...stakeWith(late));
    return (await call('simulateTransaction', text, { encoding: 'base64', commitment })).value.err;
  };
  expect([await simulated('confirmed'), await simulated('processed')]).toEqual([
    { InstructionError: [1, { Custom: 16 }] },
    null,
  ]);
  expect(await send([late], ...stakeWith(late))).toMatchObject({ err: null });
  open(run, 98n);
  const address = stake.publicKey.toBase58();
  const addresses = [address, late.publicKey.toBase58(), ledger.genesis.stakeAddress];
  expect(await call('getInflationReward', addresses, { ...CONFIRMED, epoch: 1 })).toMatchObject([
    null,
    null,
    { effectiveSlot: 65n },
  ]);
  const [own, none, first] = await call('getInflationReward', addresses, CONFIRMED);
  expect([own?.epoch, none]).toEqual([2n, null]);
  const staked = (own?.postBalance ?? 0n) - (own?.amount ?? 0n) - ledger.runtime.rentExemption(200n);
  const others = (first?.postBalance ?? 0n) - (first?.amount ?? 0n) - ledger.runtime.rentExemption(200n);
  const exact = Number(own?.amount) / Number(first?.amount) / (Number(staked) / Number(others));
  expect(Math.abs(exact - 1)).toBeLessThan(1e-5);
  const ids = { stakePubkey: stake.publicKey, authorizedPubkey: wallet.publicKey };
  expect(await send([], ...StakeProgram.deactivate(ids).instructions)).toMatchObject({ err: null });
  open(run, 130n);
  expect(await rewardsOf(run, 129n)).toContainEqual(
    expect.objectContaining({ pubkey: address, rewardType: 'DeactivatedStake' }),
  );
  expect((await call('getInflationReward', [address], CONFIRMED))[0]?.effectiveSlot).toBe(129n);
});

test('after a warp over several epochs one is paid, by the first block behind it', async () => {
  const run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH, historySlots: 2_000 });
  const { call, ledger } = run;
  open(run, 70n);
  const before = await supplyOf(run);
  // The 512 blocks before it are there, of which the last two begin an epoch and pay it.
  await warpTo(ledger, 9_986n, ledger.clock.nowMs() + 10_000 * SLOT_MS);
  const first = 9_986n - 512n;
  const staking = (await rewardsOf(run, first + 1n))?.[0];
  const asked = (epoch: number) =>
    call('getInflationReward', [ledger.genesis.stakeAddress], { ...CONFIRMED, epoch });
  expect(await asked(2)).toMatchObject([{ epoch: 2n, effectiveSlot: first + 1n, amount: staking?.lamports }]);
  // As on a node: the first block after each of the epochs that were passed is the same.
  expect(await asked(100)).toMatchObject([{ epoch: 100n, effectiveSlot: first + 1n }]);
  let paid = 0n;
  for (let slot = first; slot < 9_986n; slot++)
    for (const { lamports } of ledger.blocks.rewards(slot)?.paid ?? []) paid += lamports;
  expect(await supplyOf(run)).toBe(before + paid);
  expect(await asked(311)).toMatchObject([{ effectiveSlot: 9_985n }]);
});

test('followers receive payments with the slots that paid them', () => {
  const run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH, finalitySlots: 1 });
  const { ledger } = run;
  const { stakeAddress } = ledger.genesis;
  const told: (readonly [string, bigint])[] = [];
  ledger.follow({
    landed: () => undefined,
    advanced: ({ closed, finalized }) => {
      for (const [level, { slot, written }] of Object.entries({ closed, finalized }))
        if (written.includes(stakeAddress)) told.push([level, slot]);
    },
  });
  open(run, 70n);
  // In epoch 0 no slot is rooted, so that there are no credits.
  expect(told).toEqual([
    ['closed', 65n],
    ['finalized', 65n],
  ]);
});

test('a branch continues from between the two blocks, and a snapshot of a file too', async () => {
  const run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH });
  const { ledger, tick } = run;
  const seen = async () => [await rewardsOf(run, 64n), await rewardsOf(run, 65n), await supplyOf(run)];
  open(run, 64n);
  const opened = ledger.take();
  tick(3);
  const paid = await seen();
  ledger.goTo(opened);
  expect(await sysvarOf(run)).toMatchObject({ active: true });
  tick();
  const between = ledger.take();
  tick(2);
  expect(await seen()).toEqual(paid);
  const saved = await roundTrip(ledger, between);
  ledger.goTo(saved);
  tick(2);
  expect(await seen()).toEqual(paid);
});

async function roundTrip(ledger: Ledger, taken: LedgerSnapshot): Promise<LedgerSnapshot> {
  const read = readSaved(savedBytes(saveState(ledger, taken)));
  if (read.kind === 'fault') throw new Error(read.reason);
  return await loadState(ledger, read.state);
}
