import { Keypair, PublicKey } from '@solana/web3.js';
import { expect, test } from 'vitest';
import type { Account } from '../../src/localnet/model.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, price, sendNow, signed, transfer, SOL } from './transactions.ts';

const U63 = 2n ** 63n - 1n;

test('one node leads all slots and shows itself', async () => {
  const { call, ledger } = newLedger();
  const { identity } = await call('getIdentity');
  expect(await call('getSlotLeader')).toBe(identity);
  expect(await call('getSlotLeaders', 0, 3)).toEqual([identity, identity, identity]);
  expect(await call('getClusterNodes')).toMatchObject([
    { pubkey: identity, rpc: null, pubsub: null, gossip: null, version: '4.4.0' },
  ]);
  ledger.rpcAddress = '127.0.0.1:8899';
  expect(await call('getClusterNodes')).toMatchObject([{ rpc: '127.0.0.1:8899', pubsub: '127.0.0.1:8899' }]);
  const schedule = await call('getLeaderSchedule');
  expect(Object.keys(schedule ?? {})).toEqual([identity]);
  expect(schedule?.[identity]).toHaveLength(432_000);
});

test('the schedule is known up to the next epoch', async () => {
  const { call, refusal, ledger } = newLedger();
  expect(await call('getLeaderSchedule', 863_999)).not.toBeNull();
  const { identity, voteAddress } = ledger.genesis;
  const config = { identity: identity.address, keyByVoteAccount: true };
  expect(Object.keys((await call('getLeaderSchedule', null, config)) ?? {})).toEqual([voteAddress]);
  expect(await call('getLeaderSchedule', 864_000)).toBeNull();
  const other = Keypair.generate().publicKey.toBase58();
  expect((await refusal('getLeaderSchedule', null, { identity: other })).code).toBe('leaderNotScheduled');
  expect(await call('getSlotLeaders', 863_999, 1)).toHaveLength(1);
  const message = 'Invalid slot range: leader schedule for epoch 21350398233460 is unavailable';
  expect((await refusal('getSlotLeaders', U63, 1)).message).toBe(message);
});

test('the vote account follows the chain', async () => {
  const { call, ledger, tick } = newLedger();
  tick(100);
  const { current, delinquent } = await call('getVoteAccounts', { commitment: 'confirmed' });
  expect(delinquent).toEqual([]);
  expect(current).toEqual([
    {
      votePubkey: ledger.genesis.voteAddress,
      nodePubkey: ledger.genesis.identity.address,
      activatedStake: ledger.genesis.stakeLamports,
      commission: 0,
      inflationRewardsCommissionBps: 0,
      epochVoteAccount: true,
      epochCredits: [[0n, 100n * 16n, 0n]],
      lastVote: 130n,
      rootSlot: 99n,
    },
  ]);
  const account = await call('getAccountInfo', ledger.genesis.voteAddress, {
    commitment: 'confirmed',
    encoding: 'jsonParsed',
  });
  expect(account.value?.data).toMatchObject({
    program: 'vote',
    parsed: { info: { rootSlot: 99n, votes: { length: 31 } } },
  });
  expect(await call('getVoteAccounts', { votePubkey: ledger.genesis.identity.address })).toEqual({
    current: [],
    delinquent: [],
  });
});

test('all stake stands behind every block that is not rooted', async () => {
  const { call, ledger } = newLedger();
  const { commitment, totalStake } = await call('getBlockCommitment', 29);
  expect(totalStake).toBe(ledger.genesis.stakeLamports);
  expect(commitment?.map((stake) => stake > 0n).indexOf(true)).toBe(2);
  expect((await call('getBlockCommitment', 32)).commitment).toBeNull();
  expect((await call('getBlockCommitment', U63)).commitment).toBeNull();
});

test('the supply is the sum of all accounts, and locked stake does not circulate', async () => {
  const { call, ledger } = newLedger();
  const { stakeAddress } = ledger.genesis;
  const state = { commitment: 'processed' } as const;
  expect((await call('getSupply', state)).value).toMatchObject({
    nonCirculating: 0n,
    nonCirculatingAccounts: [],
  });
  lockStake(ledger);
  const { value } = await call('getSupply', state);
  expect(value.nonCirculatingAccounts).toEqual([stakeAddress]);
  expect(value.circulating + value.nonCirculating).toBe(value.total);
  expect(
    (await call('getSupply', { ...state, excludeNonCirculatingAccountsList: true })).value
      .nonCirculatingAccounts,
  ).toEqual([]);
  const [locked] = (await call('getLargestAccounts', { ...state, filter: 'nonCirculating' })).value;
  expect(locked).toMatchObject({ address: stakeAddress });
  const circulating = (await call('getLargestAccounts', { ...state, filter: 'circulating' })).value;
  expect(circulating.map(({ address }) => address)).not.toContain(stakeAddress);
});

/** Locks the ledger's own stake until a time to come. */
function lockStake({ accounts, blocks, genesis: { stakeAddress } }: TestLedger['ledger']): void {
  const account = accounts.read(stakeAddress, blocks.openSlot);
  if (account === undefined) throw new Error('there is no stake');
  const data = Uint8Array.from(account.data);
  new DataView(data.buffer).setBigInt64(76, 2n ** 62n, true);
  accounts.write(stakeAddress, { ...account, data }, blocks.openSlot);
}

test('the largest accounts are those of the ledger itself at first: faucet, stake, identity, vote account', async () => {
  const { call, ledger } = newLedger();
  const { faucet, stakeAddress, identity, voteAddress } = ledger.genesis;
  const { value } = await call('getLargestAccounts');
  expect(value).toHaveLength(20);
  expect(value.slice(0, 3).map(({ address }) => address)).toEqual([
    faucet.address,
    stakeAddress,
    identity.address,
  ]);
  expect(value.map(({ address }) => address)).toContain(voteAddress);
});

test('of equal balances the higher address comes first', async () => {
  const { call, ledger } = newLedger();
  const { genesis, runtime, accounts, blocks } = ledger;
  const rich = { ...runtime.read(genesis.identity.address), lamports: 10n ** 15n + 10n ** 12n };
  const keys = [1, 3, 2].map((byte) => new PublicKey(new Uint8Array(32).fill(byte)).toBase58());
  for (const key of keys) accounts.write(key, rich as Account, blocks.openSlot);
  const { value } = await call('getLargestAccounts', { commitment: 'processed' });
  expect(value.slice(1, 4).map(({ address }) => address)).toEqual([keys[1], keys[2], keys[0]]);
});

test('fees are burned', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const before = (await test.call('getSupply', { commitment: 'processed' })).value.total;
  await sendNow(test, signed(test, [wallet], memo('x')));
  expect((await test.call('getSupply', { commitment: 'processed' })).value.total).toBe(before - 5000n);
});

test('block production counts every slot of the range', async () => {
  const { call, refusal, ledger } = newLedger();
  const { address } = ledger.genesis.identity;
  const { value, context } = await call('getBlockProduction', { commitment: 'confirmed' });
  expect(value).toEqual({
    byIdentity: { [address]: [32n, 32n] },
    range: { firstSlot: 0n, lastSlot: context.slot },
  });
  const range = { firstSlot: 3, lastSlot: 5 };
  expect(
    (await call('getBlockProduction', { commitment: 'confirmed', range })).value.byIdentity[address],
  ).toEqual([3n, 3n]);
  const late = await refusal('getBlockProduction', {
    commitment: 'confirmed',
    range: { firstSlot: 0, lastSlot: U63 },
  });
  expect(late.message).toBe(`lastSlot, ${U63}, is too large; max 31`);
  const reversed = await refusal('getBlockProduction', { range: { firstSlot: 2, lastSlot: 1 } });
  expect(reversed.message).toBe('lastSlot, 1, cannot be less than firstSlot, 2');
});

test('there are no rewards before the first epoch has ended', async () => {
  const { refusal } = newLedger();
  expect((await refusal('getInflationReward', [])).message).toBe('Block not available for slot 432000');
  expect((await refusal('getInflationReward', [], { epoch: U63 })).message).toMatch(
    /^Block not available for slot \d+$/,
  );
});

test('epochs follow one another, and the clock sysvar goes with them', async () => {
  const { call, ledger, tick } = newLedger({ historySlots: 1000, slotsPerEpoch: 4_320 });
  tick(4_320);
  expect(await call('getEpochInfo', { commitment: 'confirmed' })).toMatchObject({
    epoch: 1n,
    slotIndex: 31n,
    slotsInEpoch: 4_320n,
  });
  const clock = await call('getAccountInfo', 'SysvarC1ock11111111111111111111111111111111', {
    commitment: 'confirmed',
    encoding: 'jsonParsed',
  });
  const start = ledger.genesis.time + 1_728n;
  expect(clock.value?.data).toMatchObject({
    parsed: { info: { epoch: 1n, leaderScheduleEpoch: 2n, epochStartTimestamp: start } },
  });
  const credits = (await call('getVoteAccounts', { commitment: 'confirmed' })).current[0]?.epochCredits;
  expect(credits).toMatchObject([
    [0n, expect.any(BigInt), 0n],
    [1n, expect.any(BigInt), credits?.[0]?.[1]],
  ]);
  expect(
    await call('getInflationReward', [ledger.genesis.voteAddress], { epoch: 0, commitment: 'confirmed' }),
  ).toMatchObject([{ epoch: 0n, effectiveSlot: 4_320n, amount: 0n, commissionBps: 0 }]);
});

test('prioritization fees are the prices that transactions of recent blocks set, whatever their fees were rounded to', async () => {
  const test = newLedger();
  const [wallet, other] = [await fundedWallet(test), Keypair.generate().publicKey];
  test.tick();
  await sendNow(test, signed(test, [wallet], transfer(wallet, other, SOL), price(777_777)));
  await sendNow(test, signed(test, [wallet], memo('cheap'), price(20)));
  test.tick();
  const fees = await test.call('getRecentPrioritizationFees');
  expect(fees).toEqual([
    { slot: 32n, prioritizationFee: 0n },
    { slot: 33n, prioritizationFee: 20n },
  ]);
  const ofOther = await test.call('getRecentPrioritizationFees', [other.toBase58()]);
  expect(ofOther[1]).toEqual({ slot: 33n, prioritizationFee: 777_777n });
  test.tick(151);
  expect(await test.call('getRecentPrioritizationFees')).toEqual([]);
});

test('programs read the clock of the slot', async () => {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  test.tick(77);
  const signature = await sendNow(test, signed(test, [wallet], memo('x')));
  expect(await landed(test, signature)).toMatchObject({ err: null });
  const clock = test.ledger.runtime.read('SysvarC1ock11111111111111111111111111111111');
  expect(Buffer.from(clock?.data ?? []).readBigUInt64LE(0)).toBe(109n);
});

test('rewards are asked for at most 32 addresses at once', async () => {
  const { refusal, ledger } = newLedger();
  const addresses = (count: number) => Array.from({ length: count }, () => ledger.genesis.voteAddress);
  expect((await refusal('getInflationReward', addresses(32))).code).toBe('blockNotAvailable');
  const error = await refusal('getInflationReward', addresses(33));
  expect(error.message).toBe('Too many inputs provided; max 32');
});

test('plain facts about the node', async () => {
  const { call, refusal } = newLedger();
  expect(await call('getHealth')).toBe('ok');
  expect(await call('getAgGenesisCert')).toBeNull();
  expect(await call('getVersion')).toMatchObject({ 'solana-core': '4.4.0' });
  expect(await call('getMinimumBalanceForRentExemption', 0)).toBe(650_240n);
  expect(await call('getMinimumBalanceForRentExemption', 50)).toBe((128n + 50n) * 5_080n);
  expect((await call('getStakeMinimumDelegation')).value).toBe(1_000_000_000n);
  expect((await refusal('getHighestSnapshotSlot')).message).toBe('No snapshot');
  expect(await call('getMaxShredInsertSlot')).toBe(32n);
  expect(await call('getMaxRetransmitSlot')).toBe(32n);
  expect(await call('getEpochSchedule')).toMatchObject({ slotsPerEpoch: 432_000n, warmup: false });
  expect(await call('getInflationGovernor')).toMatchObject({ initial: 0.08, foundationTerm: 7 });
  expect(await call('getInflationRate')).toMatchObject({ epoch: 0n, total: 0.08 });
});
