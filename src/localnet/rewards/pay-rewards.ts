import type { AccountStore } from '../accounts/account-store.ts';
import { STAKE_PROGRAM, SYSTEM_PROGRAM, VOTE_PROGRAM } from '../addresses/program-ids.ts';
import { SYSVAR_EPOCH_REWARDS, SYSVAR_STAKE_HISTORY } from '../addresses/sysvar-addresses.ts';
import type { Bank } from '../bank/bank.ts';
import type { Runtime } from '../bank/runtime.ts';
import type { BlockHistory } from '../blocks/block-history.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { BlockRewards, BlockReward, DueReward, Account } from '../model.ts';
import { epochRewardsData, withLastPayment } from '../sysvars/sysvars.ts';
import type { SlotPace } from '../time/slot-pace.ts';
import { readDelegation, stakeInEpoch, withStakeReward, type Delegation } from '../validator/delegation.ts';
import { epochInflation } from '../validator/inflation.ts';
import { readStakeHistory, type StakeHistory } from '../validator/stake-history.ts';
import { RESERVED_KEYS } from '../addresses/reserved-keys.ts';
import { readVoteAccount } from '../encode/parsed-account/vote.ts';

/** The parts of a ledger that take part in paying rewards. */
export type PayingLedger = {
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly blocks: BlockHistory;
  readonly epochs: EpochSchedule;
  readonly pace: SlotPace;
  readonly runtime: Runtime;
};

/** One block pays all stake accounts. */
export const PARTITIONS = 1n;

/**
 * Pays rewards in a slot that was just opened, if it is the first one of an epoch (commissions) or the next one (stakes), as a validator
 * does (SIMD-0118). The epoch of the parent is paid: a warp over several epochs pays one.
 */
export function payRewards(ledger: PayingLedger): void {
  const { blocks, epochs } = ledger;
  const { openSlot } = blocks;
  const parent = blocks.ancestor(openSlot, 1n);
  const { due } = blocks.rewards(parent) ?? {};
  const paid = due === undefined ? [] : payStakes(ledger, due, openSlot);
  if (epochs.epochOf(parent) !== epochs.epochOf(openSlot)) {
    const begun = beginPayout(ledger, parent);
    blocks.reward({ ...begun, paid: [...paid, ...begun.paid] });
  } else if (due !== undefined) blocks.reward({ paid });
}

function beginPayout(ledger: PayingLedger, parent: bigint): BlockRewards {
  const { blocks, bank, accounts } = ledger;
  const { openSlot } = blocks;
  const { value, commissions, due } = payoutOf(ledger, parent);
  const paid = payCommissions(ledger, commissions, openSlot);
  const sysvar = accounts.read(SYSVAR_EPOCH_REWARDS, openSlot);
  const data = epochRewardsData({
    startHeight: blocks.height(openSlot) + 1n,
    partitions: PARTITIONS,
    parentBlockhash: blocks.blockhash(parent),
    points: value.points,
    total: value.lamports,
    isActive: true,
    distributed: commissions.reduce((sum, { lamports }) => sum + lamports, 0n),
  });
  if (sysvar !== undefined) bank.write(SYSVAR_EPOCH_REWARDS, { ...sysvar, data }, openSlot);
  return { paid, due };
}

/** The credits are those at the end of the parent: votes of this epoch count in the next one. */
function payoutOf({ accounts, blocks, epochs, pace }: PayingLedger, parent: bigint): EpochPayout {
  const { openSlot } = blocks;
  let supply = 0n;
  for (const { account } of accounts.all(openSlot)) supply += account.lamports;
  const delegations = accounts.ownedBy(STAKE_PROGRAM, openSlot).flatMap(({ address, account }) => {
    const delegation = readDelegation(account);
    return delegation === undefined ? [] : [{ address, delegation }];
  });
  return epochPayout({
    epoch: epochs.epochOf(parent),
    lamports: epochInflation({
      supply,
      slotsPerEpoch: epochs.slotsIn(epochs.epochOf(parent)),
      slotMs: pace.slotMs,
      firstSlot: epochs.firstSlot(epochs.epochOf(openSlot)),
    }),
    history: readStakeHistory(accounts.read(SYSVAR_STAKE_HISTORY, openSlot)?.data),
    voters: readVoters(accounts, parent),
    delegations,
  });
}

type StakeAccounts = {
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly epochs: EpochSchedule;
};

/**
 * Pays in the open slot the rewards that the first block of the epoch left due, and ends the payment. A reward of an account that is no
 * longer a stake, which takes a cheat code, is burned.
 */
function payStakes(
  { accounts, bank, epochs }: StakeAccounts,
  due: readonly DueReward[],
  slot: bigint,
): readonly BlockReward[] {
  const history = readStakeHistory(accounts.read(SYSVAR_STAKE_HISTORY, slot)?.data);
  const rewards = due.flatMap(({ address, lamports, creditsObserved, commissionBps }): BlockReward[] => {
    const account = accounts.read(address, slot);
    if (account?.owner !== STAKE_PROGRAM || readDelegation(account) === undefined) return [];
    const paid = withStakeReward(account, lamports, creditsObserved);
    bank.write(address, paid, slot);
    const delegation = readDelegation(paid);
    if (lamports === 0n || delegation === undefined) return [];
    const { effective } = stakeInEpoch(delegation, epochs.epochOf(slot), history);
    const type = effective === 0n ? 'DeactivatedStake' : 'Staking';
    return [{ address, type, lamports, postBalance: paid.lamports, commissionBps }];
  });
  const sysvar = accounts.read(SYSVAR_EPOCH_REWARDS, slot);
  const total = due.reduce((sum, { lamports }) => sum + lamports, 0n);
  if (sysvar !== undefined)
    bank.write(SYSVAR_EPOCH_REWARDS, { ...sysvar, data: withLastPayment(sysvar.data, total) }, slot);
  return rewards;
}

type PaidFrom = {
  readonly accounts: AccountStore;
  readonly bank: Bank;
  readonly runtime: Pick<Runtime, 'rentExemption'>;
};

const EMPTY: Account = {
  lamports: 0n,
  data: new Uint8Array(0),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
};

/**
 * Pays commissions in the open slot, each to the vote account or to the collector that it names. A collector that is not a rent-exempt
 * account of the system program gets nothing: the commission is burned, and no reward is recorded (SIMD-0232).
 */
function payCommissions(
  { accounts, bank, runtime }: PaidFrom,
  commissions: readonly Commission[],
  slot: bigint,
): readonly BlockReward[] {
  return commissions.flatMap(({ isVoter, collector, commissionBps, lamports }) => {
    const before = accounts.read(collector, slot) ?? (accounts.isKnown(collector) ? EMPTY : undefined);
    if (before === undefined) return [];
    const account = { ...before, lamports: before.lamports + lamports };
    const isWallet =
      account.owner === SYSTEM_PROGRAM &&
      !RESERVED_KEYS.has(collector) &&
      account.lamports >= runtime.rentExemption(BigInt(account.data.length));
    if (!isVoter && !isWallet) return [];
    if (lamports > 0n) bank.write(collector, account, slot);
    const { lamports: postBalance } = account;
    return [{ address: collector, type: 'Voting' as const, lamports, postBalance, commissionBps }];
  });
}

/** The commission of the vote accounts that have one collector, in lamports. */
type Commission = Pick<Voter, 'collector' | 'commissionBps'> & {
  /** The collector is the vote account itself. */
  readonly isVoter: boolean;
  readonly lamports: bigint;
};

/** The rewards of an epoch. Without points nothing is paid. */
type EpochPayout = {
  readonly value: PointValue;
  readonly commissions: readonly Commission[];
  /** To stake accounts, including those of which only the credits are settled. */
  readonly due: readonly DueReward[];
};

type EpochWork = {
  /** The epoch that is paid. */
  readonly epoch: bigint;
  /** Maximum payment, in lamports. */
  readonly lamports: bigint;
  readonly history: StakeHistory;
  readonly voters: ReadonlyMap<string, Voter>;
  readonly delegations: Iterable<{ readonly address: string; readonly delegation: Delegation }>;
};

type Earner = {
  readonly address: string;
  readonly delegation: Delegation;
  readonly voter: Voter;
  readonly earned: StakePoints;
};

/** Shares the inflation of an epoch among stakes by their points, and with their vote accounts (agave, `partitioned_epoch_rewards`). */
export function epochPayout({ epoch, lamports, history, voters, delegations }: EpochWork): EpochPayout {
  const earners: Earner[] = [];
  for (const { address, delegation } of delegations) {
    const voter = voters.get(delegation.voter);
    if (voter === undefined) continue;
    earners.push({ address, delegation, voter, earned: stakePoints(delegation, voter.credits, history) });
  }
  const points = earners.reduce((sum, { earned }) => sum + earned.points, 0n);
  if (points === 0n) return { value: { lamports: 0n, points }, commissions: [], due: [] };
  const commissions = new Map<string, Commission>();
  const due: DueReward[] = [];
  for (const { address, delegation, voter, earned } of earners) {
    const { commissionBps, collector } = voter;
    const reward = stakeReward(earned, delegation, { lamports, points }, { epoch, commissionBps });
    if (reward === undefined) continue;
    const { staker, creditsObserved } = reward;
    due.push({ address, lamports: staker, commissionBps, creditsObserved });
    const isVoter = collector === delegation.voter;
    const key = `${collector} ${isVoter}`;
    const before = commissions.get(key) ?? { collector, isVoter, commissionBps, lamports: 0n };
    commissions.set(key, { ...before, lamports: before.lamports + reward.voter });
  }
  return { value: { lamports, points }, commissions: [...commissions.values()], due };
}

/** A vote account, as far as rewards depend on it. */
export type Voter = {
  /** Oldest epoch first. */
  readonly credits: readonly EpochCredits[];
  readonly commissionBps: number;
  /** The account that is paid the commission. */
  readonly collector: string;
};

/** Reads the vote accounts at the end of a slot, by address. */
function readVoters(accounts: AccountStore, slot: bigint): ReadonlyMap<string, Voter> {
  const voters = new Map<string, Voter>();
  for (const { address, account } of accounts.ownedBy(VOTE_PROGRAM, slot)) {
    const info = readVoteAccount(account.data, address);
    if (info === undefined) continue;
    const credits = info.epochCredits.map((each) => ({
      epoch: each.epoch,
      credits: BigInt(each.credits),
      previousCredits: BigInt(each.previousCredits),
    }));
    voters.set(address, {
      credits,
      commissionBps: info.inflationRewardsCommissionBps,
      collector: info.inflationRewardsCollector,
    });
  }
  return voters;
}

/** The reward of an epoch, in lamports, and the points of all stakes that share it. */
type PointValue = { readonly lamports: bigint; readonly points: bigint };

/** The rewards of a stake and its vote account for an epoch, in lamports. */
type StakeReward = {
  readonly staker: bigint;
  readonly voter: bigint;
  readonly creditsObserved: bigint;
};

const ALL_BPS = 10_000n;

/**
 * Shares the reward of a stake with its vote account, which has a commission in basis points. Undefined: nothing changes, and its credits
 * stay for the next epoch (agave, `calculate_stake_rewards`).
 */
function stakeReward(
  { points, creditsObserved, isRewound }: StakePoints,
  { activationEpoch }: Delegation,
  value: PointValue,
  { epoch, commissionBps }: { readonly epoch: bigint; readonly commissionBps: number },
): StakeReward | undefined {
  if (isRewound || value.lamports === 0n || activationEpoch === epoch)
    return { staker: 0n, voter: 0n, creditsObserved };
  if (points === 0n || value.points === 0n) return undefined;
  const reward = (points * value.lamports) / value.points;
  const commission = BigInt(commissionBps) < ALL_BPS ? BigInt(commissionBps) : ALL_BPS;
  const voter = (reward * commission) / ALL_BPS;
  const staker = (reward * (ALL_BPS - commission)) / ALL_BPS;
  const isSplit = commission > 0n && commission < ALL_BPS;
  if (reward === 0n || (isSplit && (voter === 0n || staker === 0n))) return undefined;
  return { staker, voter, creditsObserved };
}

/** Credits of a vote account up to the end of an epoch, and before it. */
type EpochCredits = {
  readonly epoch: bigint;
  readonly credits: bigint;
  readonly previousCredits: bigint;
};

/** Points of a stake since its last payment: one for each lamport and credit. */
type StakePoints = {
  readonly points: bigint;
  /** The credits that are settled once it is paid. */
  readonly creditsObserved: bigint;
  /** The vote account has fewer credits than before: it was recreated. */
  readonly isRewound: boolean;
};

/** Counts the points of a stake by the credits of its vote account, oldest epoch first (agave, `calculate_stake_points_and_credits`). */
function stakePoints(
  delegation: Delegation,
  votes: readonly EpochCredits[],
  history: StakeHistory,
): StakePoints {
  const { creditsObserved: paid } = delegation;
  const credits = votes.at(-1)?.credits ?? 0n;
  if (credits <= paid) return { points: 0n, creditsObserved: credits, isRewound: credits < paid };
  let [points, observed] = [0n, paid];
  for (const { epoch, credits: last, previousCredits: first } of votes) {
    const from = paid < first ? first : observed;
    if (last > from && last > paid)
      points += (last - from) * stakeInEpoch(delegation, epoch, history).effective;
    if (last > observed) observed = last;
  }
  return { points, creditsObserved: observed, isRewound: false };
}
