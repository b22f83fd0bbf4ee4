import {
  Authorized,
  Keypair,
  StakeProgram,
  VoteInit,
  VoteProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { expect, test } from 'vitest';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, sendNow, signed, SOL } from './transactions.ts';

const SLOTS_PER_EPOCH = 32;
const CONFIRMED = { commitment: 'confirmed' } as const;

async function run(
  test: TestLedger,
  signers: readonly [Keypair, ...Keypair[]],
  ...instructions: readonly TransactionInstruction[]
): Promise<void> {
  const signature = await sendNow(test, signed(test, signers, ...instructions));
  expect(await landed(test, signature)).toMatchObject({ err: null });
}

async function createVoteAccount(test: TestLedger, wallet: Keypair): Promise<Keypair> {
  const [vote, node] = [Keypair.generate(), Keypair.generate()];
  const { publicKey } = wallet;
  const created = VoteProgram.createAccount({
    fromPubkey: publicKey,
    votePubkey: vote.publicKey,
    lamports: 1_000_000_000,
    voteInit: new VoteInit(node.publicKey, publicKey, publicKey, 7),
  });
  await run(test, [wallet, vote, node], ...created.instructions);
  return vote;
}

test('vote accounts of users are listed, and their stake follows the epochs', async () => {
  const test = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH });
  const { call, tick } = test;
  const wallet = await fundedWallet(test, 100n * SOL);
  const { publicKey } = wallet;
  const vote = await createVoteAccount(test, wallet);
  const votePubkey = vote.publicKey.toBase58();
  // The first slot of an epoch is over: in it, stakes do not change.
  tick();
  const stake = Keypair.generate();
  const authorized = new Authorized(publicKey, publicKey);
  const created = StakeProgram.createAccount({
    fromPubkey: publicKey,
    stakePubkey: stake.publicKey,
    authorized,
    lamports: 10_000_000_000,
  });
  const delegate = StakeProgram.delegate({
    stakePubkey: stake.publicKey,
    authorizedPubkey: publicKey,
    votePubkey: vote.publicKey,
  });
  await run(test, [wallet, stake], ...created.instructions, ...delegate.instructions);
  tick();
  const listed = async () => {
    const { current, delinquent } = await call('getVoteAccounts', {
      ...CONFIRMED,
      votePubkey,
      keepUnstakedDelinquents: true,
    });
    return [...current, ...delinquent][0];
  };
  expect(await listed()).toMatchObject({
    votePubkey,
    commission: 7,
    inflationRewardsCommissionBps: 700,
    activatedStake: 0n,
    epochVoteAccount: false,
    lastVote: 0n,
  });
  expect((await call('getVoteAccounts', { votePubkey, ...CONFIRMED })).delinquent).toEqual([]);
  tick(SLOTS_PER_EPOCH);
  const active = (await listed())?.activatedStake ?? 0n;
  expect(active).toBeGreaterThan(9n * SOL);
  expect((await call('getVoteAccounts', CONFIRMED)).delinquent.map((one) => one.votePubkey)).toEqual([
    votePubkey,
  ]);
  const { totalStake } = await call('getBlockCommitment', Number(await call('getSlot', CONFIRMED)));
  const [own] = (await call('getVoteAccounts', CONFIRMED)).current;
  expect(own?.activatedStake).toBeGreaterThan(test.ledger.genesis.stakeLamports);
  expect(totalStake).toBe((own?.activatedStake ?? 0n) + active);

  const deactivate = StakeProgram.deactivate({ stakePubkey: stake.publicKey, authorizedPubkey: publicKey });
  await run(test, [wallet], ...deactivate.instructions);
  tick();
  expect((await listed())?.activatedStake).toBe(active);
  tick(SLOTS_PER_EPOCH);
  expect((await listed())?.activatedStake).toBe(0n);
  const withdraw = StakeProgram.withdraw({
    stakePubkey: stake.publicKey,
    authorizedPubkey: publicKey,
    toPubkey: publicKey,
    lamports: 10_000_000_000,
  });
  await run(test, [wallet], ...withdraw.instructions);
  tick();
  expect((await call('getAccountInfo', stake.publicKey.toBase58(), CONFIRMED)).value).toBeNull();
});

test('a stake that is large for the cluster warms up and cools down by 9 % an epoch, as the stake program has it', async () => {
  const test = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH, finalitySlots: 0 });
  const { call, tick, ledger } = test;
  const wallet = await fundedWallet(test, 2_000_000n * SOL);
  const { publicKey } = wallet;
  // It does not vote, so that nothing is added to the stake.
  const votePubkey = (await createVoteAccount(test, wallet)).publicKey;
  const stake = Keypair.generate();
  const [authorized, lamports] = [new Authorized(publicKey, publicKey), 1_000_000_000_000_000];
  const ids = { stakePubkey: stake.publicKey, authorizedPubkey: publicKey };
  const created = StakeProgram.createAccount({
    fromPubkey: publicKey,
    stakePubkey: stake.publicKey,
    authorized,
    lamports,
  });
  const delegate = StakeProgram.delegate({ ...ids, votePubkey });
  await run(test, [wallet, stake], ...created.instructions, ...delegate.instructions);
  const own = ledger.genesis.stakeLamports;
  const asked = { ...CONFIRMED, votePubkey: votePubkey.toBase58() };
  const added = async () => (await call('getVoteAccounts', asked)).delinquent[0]?.activatedStake ?? 0n;
  const nextEpoch = (): void => tick(SLOTS_PER_EPOCH);
  nextEpoch();
  expect(await added()).toBe((own * 9n) / 100n);
  nextEpoch();
  expect(await added()).toBeGreaterThan((own * 18n) / 100n);
  await run(test, [wallet], ...StakeProgram.deactivate(ids).instructions);
  nextEpoch();
  const held = await added();
  expect(held).toBeLessThan((own * 9n) / 100n + 1n);
  const reserve = ledger.runtime.rentExemption(200n);
  const free = BigInt(lamports) - held - reserve;
  const withdraw = (amount: bigint) =>
    StakeProgram.withdraw({ ...ids, toPubkey: publicKey, lamports: Number(amount) }).instructions;
  const refused = await sendNow(test, signed(test, [wallet], ...withdraw(free + 1n)));
  expect(await landed(test, refused)).toMatchObject({ err: { InstructionError: [0, 'InsufficientFunds'] } });
  await run(test, [wallet], ...withdraw(free));
});

test('the stake history has every epoch that ended, at each commitment and for programs', async () => {
  const { call, tick, ledger } = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH });
  tick(4 * SLOTS_PER_EPOCH);
  const rewards = await Promise.all(
    [1, 2].map((epoch) => call('getInflationReward', [ledger.genesis.stakeAddress], { ...CONFIRMED, epoch })),
  );
  const earned = rewards.reduce((sum, [reward]) => sum + (reward?.amount ?? 0n), 0n);
  const epochsAt = async (commitment: 'confirmed' | 'finalized') => {
    const { value } = await call('getAccountInfo', 'SysvarStakeHistory1111111111111111111111111', {
      commitment,
      encoding: 'jsonParsed',
    });
    const { parsed } = (value?.data ?? {}) as unknown as {
      parsed: { info: { epoch: bigint; stakeHistory: object }[] };
    };
    expect(parsed.info[0]?.stakeHistory).toEqual({
      effective: ledger.genesis.stakeLamports + earned,
      activating: 0n,
      deactivating: 0n,
    });
    return parsed.info.map(({ epoch }) => epoch);
  };
  expect([await epochsAt('confirmed'), await epochsAt('finalized')]).toEqual([
    [3n, 2n, 1n, 0n],
    [3n, 2n, 1n, 0n],
  ]);
  expect(ledger.runtime.read('SysvarStakeHistory1111111111111111111111111')?.data[0]).toBe(5);
});
