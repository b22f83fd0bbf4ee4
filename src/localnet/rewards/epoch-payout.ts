import type { DueReward } from '../model.ts';
import type { Delegation } from '../validator/delegation.ts';
import type { StakeHistory } from '../validator/stake-history.ts';
import { type StakePoints, stakePoints } from './stake-points.ts';
import { type PointValue, stakeReward } from './stake-reward.ts';
import type { Voter } from './voters.ts';

/** The commission of the vote accounts that have one collector, in lamports. */
export type Commission = Pick<Voter, 'collector' | 'commissionBps'> & {
  /** The collector is the vote account itself. */
  readonly isVoter: boolean;
  readonly lamports: bigint;
};

/** What an epoch pays. No points: nothing. */
export type EpochPayout = {
  readonly value: PointValue;
  readonly commissions: readonly Commission[];
  /** To stake accounts, those included of which only the credits are settled. */
  readonly due: readonly DueReward[];
};

export type EpochWork = {
  /** The epoch that is paid. */
  readonly epoch: bigint;
  /** What it pays at most, in lamports. */
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
