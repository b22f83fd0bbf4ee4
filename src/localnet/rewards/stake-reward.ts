import type { Delegation } from '../validator/delegation.ts';
import type { StakePoints } from './stake-points.ts';

/** What an epoch pays, in lamports, and the points of all stakes, among which it is shared. */
export type PointValue = { readonly lamports: bigint; readonly points: bigint };

/** What a stake and its vote account are paid for an epoch, in lamports. */
export type StakeReward = {
  readonly staker: bigint;
  readonly voter: bigint;
  readonly creditsObserved: bigint;
};

const ALL_BPS = 10_000n;

/**
 * Shares the reward of a stake with its vote account, which has a commission in basis points. Undefined: nothing changes, and its credits
 * stay for the next epoch (agave, `calculate_stake_rewards`).
 */
export function stakeReward(
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
