import type { Availability } from '../../generated/account/types.ts';
import { PLANS } from '../../generated/plans.ts';
import { printUsd } from '../../runtime/micro-usd.ts';
import { errorBudgetOf, TARGET } from '../account/service-level/error-budget.ts';
import type { MeasuredMonth } from '../account/service-level/measure-month.ts';
import type { PastMonth } from '../account/service-level/past-months.ts';
import { printPercent, shareOf } from '../account/service-level/percent.ts';
import { printAvailability, printMinutes } from '../account/service-level/print-availability.ts';
import { creditPercentOf } from '../account/service-level/service-credit.ts';

/** Returns the parts of an availability that the specification fixes: the target and the table of credits. */
export function showPromise(): Pick<Availability, 'target_percent' | 'service_credits'> {
  const rows = PLANS.service_credits.rows.map(({ below_percent: below, credit_percent: percent }) => ({
    ...{ below_percent: printPercent(shareOf(below)), credit_percent: percent },
  }));
  return { target_percent: printPercent(TARGET), service_credits: rows };
}

/** Returns the current month and its error budget as the account service shows them. */
export function showCurrentMonth(
  month: string,
  measured: MeasuredMonth,
): Pick<Availability, 'current' | 'error_budget'> {
  const { minutes, planned, unavailable, wholeMonth } = measured;
  const { allowed, used, left, leftShare } = errorBudgetOf(measured, wholeMonth);
  return {
    current: {
      ...{ month, availability_percent: printAvailability(measured), minutes },
      ...{ unavailable_minutes: printMinutes(unavailable), planned_minutes: planned },
      credit_percent: creditPercentOf(measured),
    },
    error_budget: {
      ...{ allowed_minutes: printMinutes(allowed), used_minutes: printMinutes(used) },
      ...{ left_minutes: printMinutes(left), left_percent: printPercent(leftShare) },
    },
  };
}

/** Returns a month that is over; its credit only to callers who may see money. */
export function showPastMonth(past: PastMonth, seesMoney: boolean): Availability['history'][number] {
  const { month, of, minutes, unavailable, credit } = past;
  return {
    ...{ month, of, availability_percent: printAvailability(past), minutes },
    unavailable_minutes: printMinutes(unavailable),
    ...(seesMoney && credit !== undefined ? { credit_usd: printUsd(credit) } : {}),
  };
}
