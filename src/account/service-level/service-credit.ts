import { PLANS } from '../../../generated/plans.ts';
import { shareOf } from './error-budget.ts';
import { availableShare } from './print-availability.ts';
import type { Availability } from './read-availability.ts';

const TABLE = PLANS.service_credits.rows.map(({ below_percent: below, credit_percent: percent }) => ({
  below: shareOf(below),
  percent,
}));

/** Returns the credit for a month in percent of its charges; 0 where the availability target was reached. */
export function creditPercentOf(availability: Pick<Availability, 'minutes' | 'unavailable'>): number {
  const share = availableShare(availability);
  return TABLE.findLast(({ below }) => share < below)?.percent ?? 0;
}

/** Returns the credit for a month in micro-USD, rounded up. */
export function serviceCreditOf(
  availability: Pick<Availability, 'minutes' | 'unavailable'>,
  charged: bigint,
): bigint {
  const hundredths = charged * BigInt(creditPercentOf(availability));
  return (hundredths + 99n) / 100n;
}
