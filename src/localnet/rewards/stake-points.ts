import { type Delegation, stakeInEpoch } from '../validator/delegation.ts';
import type { StakeHistory } from '../validator/stake-history.ts';

/** Credits of a vote account up to the end of an epoch, and before it. */
export type EpochCredits = {
  readonly epoch: bigint;
  readonly credits: bigint;
  readonly previousCredits: bigint;
};

/** What a stake earned since it was paid last: one point for each lamport and credit. */
export type StakePoints = {
  readonly points: bigint;
  /** The credits that are settled once it is paid. */
  readonly creditsObserved: bigint;
  /** The vote account has fewer credits than it had, because it was made anew. */
  readonly isRewound: boolean;
};

/** Counts the points of a stake by the credits of its vote account, oldest epoch first (agave, `calculate_stake_points_and_credits`). */
export function stakePoints(
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
