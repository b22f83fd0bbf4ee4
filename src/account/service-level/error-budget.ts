import { PLANS } from '../../../generated/plans.ts';
import { ALL, type Share, shareOf } from './percent.ts';
import type { Availability } from './read-availability.ts';

/** The availability that is promised for a month. */
export const TARGET: Share = shareOf(PLANS.service_levels.availability_percent_per_month);

/** The part of a month that may be unavailable, in millionths of a minute. */
export type ErrorBudget = {
  readonly allowed: bigint;
  readonly used: bigint;
  /** Below 0: more than allowed was used. */
  readonly left: bigint;
  /** The part of `allowed` that is left; without any minutes, all of it. */
  readonly leftShare: Share;
};

/** Returns the budget of a month with so many minutes that count, those to come included. */
export function errorBudgetOf(
  { unavailable }: Pick<Availability, 'unavailable'>,
  minutes: number,
): ErrorBudget {
  const allowed = BigInt(minutes) * (ALL - TARGET);
  const left = allowed - unavailable;
  const leftShare = allowed === 0n ? ALL : (left * ALL) / allowed;
  return { allowed, used: unavailable, left, leftShare };
}
