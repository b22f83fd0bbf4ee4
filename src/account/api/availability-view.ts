import type { Availability } from '../../../generated/account/types.ts';
import { PLANS } from '../../../generated/plans.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import { errorBudgetOf, TARGET, printPercent, shareOf } from '../service-level/error-budget.ts';
import type { MeasuredMonth } from '../service-level/measure-month.ts';
import { type PastMonth, readPastMonths } from '../service-level/past-months.ts';
import { listWork } from '../service-level/planned-work.ts';
import { printAvailability, printMinutes } from '../service-level/print-availability.ts';
import { creditPercentOf } from '../service-level/service-credit.ts';
import { utcMonth } from '../../core/utc-month.ts';
import type { Store } from '../../store/open-store.ts';
import { toPlannedWorkView } from './planned-work-view.ts';

/** An availability to show. */
type Shown = {
  /** Undefined: the service, without the requests of accounts. */
  readonly accountId: string | undefined;
  /** The current month. */
  readonly measured: MeasuredMonth;
  /** True for callers who may see money, and so credits. */
  readonly seesMoney: boolean;
  readonly nowMs: number;
};

/** Returns the availability of the wallet service as the account service shows it. */
export async function toAvailabilityView(
  store: Store,
  { accountId, measured, seesMoney, nowMs }: Shown,
): Promise<Availability> {
  const past = await readPastMonths(store, accountId);
  const works = await listWork(store, nowMs);
  return {
    ...showPromise(),
    ...showCurrentMonth(utcMonth(nowMs), measured),
    history: past.map((month) => showPastMonth(month, seesMoney)),
    planned_work: works.filter(({ cancelledMs }) => cancelledMs === undefined).map(toPlannedWorkView),
  };
}

/** Returns the parts of an availability that the specification fixes: the target and the table of credits. */
function showPromise(): Pick<Availability, 'target_percent' | 'service_credits'> {
  const rows = PLANS.service_credits.rows.map(({ below_percent: below, credit_percent: percent }) => ({
    below_percent: printPercent(shareOf(below)),
    credit_percent: percent,
  }));
  return { target_percent: printPercent(TARGET), service_credits: rows };
}

/** Returns the current month and its error budget as the account service shows them. */
function showCurrentMonth(
  month: string,
  measured: MeasuredMonth,
): Pick<Availability, 'current' | 'error_budget'> {
  const { minutes, planned, unavailable, wholeMonth } = measured;
  const { allowed, used, left, leftShare } = errorBudgetOf(measured, wholeMonth);
  return {
    current: {
      month,
      availability_percent: printAvailability(measured),
      minutes,
      unavailable_minutes: printMinutes(unavailable),
      planned_minutes: planned,
      credit_percent: creditPercentOf(measured),
    },
    error_budget: {
      allowed_minutes: printMinutes(allowed),
      used_minutes: printMinutes(used),
      left_minutes: printMinutes(left),
      left_percent: printPercent(leftShare),
    },
  };
}

/** Returns a month that is over, with its credit only for callers who may see money. */
function showPastMonth(past: PastMonth, seesMoney: boolean): Availability['history'][number] {
  const { month, of, minutes, unavailable, credit } = past;
  return {
    month,
    of,
    availability_percent: printAvailability(past),
    minutes,
    unavailable_minutes: printMinutes(unavailable),
    ...(seesMoney && credit !== undefined ? { credit_usd: printUsd(credit) } : {}),
  };
}
