import { PLANS } from '../../../generated/plans.ts';
import type { Availability } from './read-availability.ts';

const DECIMALS = 4;

/** A percentage in ten-thousandths of a percent: 1,000,000 is all. */
export type Share = bigint;

export const ALL: Share = 1_000_000n;

/** Returns a percentage of the specification, which has up to four decimals, exactly. */
export function shareOf(percent: number): Share {
  const [whole = '', part = ''] = String(percent).split('.');
  return BigInt(`${whole}${part.padEnd(DECIMALS, '0')}`);
}

/** Prints a share as decimal text in percent with four digits, such as `99.9500`. */
export function printPercent(share: Share): string {
  const digits = String(share < 0n ? -share : share).padStart(DECIMALS + 1, '0');
  return `${share < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

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

/** Returns the budget of a month with this many minutes that count, including those to come. */
export function errorBudgetOf(
  { unavailable }: Pick<Availability, 'unavailable'>,
  minutes: number,
): ErrorBudget {
  const allowed = BigInt(minutes) * (ALL - TARGET);
  const left = allowed - unavailable;
  const leftShare = allowed === 0n ? ALL : (left * ALL) / allowed;
  return { allowed, used: unavailable, left, leftShare };
}
