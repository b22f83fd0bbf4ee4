import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { utcMonth } from '../../base/utc-month.ts';
import { readPastMonths } from '../../account/service-level/past-months.ts';
import { listWork } from '../../account/service-level/planned-work.ts';
import type { AccountContext } from '../account-context.ts';
import { showCurrentMonth, showPastMonth, showPromise } from '../show-availability.ts';
import { showPlannedWork } from '../show-planned-work.ts';

/** `GET /account/v1/availability`: credits only for a caller with `billing:read`. */
export const getAvailability: AccountHandler<AccountContext, 'getAvailability'> = async (context) => {
  const { store, clock, caller, measureMonth } = context;
  const nowMs = clock.nowMs();
  const measured = await measureMonth(caller.accountId, nowMs);
  const past = await readPastMonths(store, caller.accountId);
  const works = await listWork(store, nowMs);
  return {
    kind: 'json',
    body: {
      ...showPromise(),
      ...showCurrentMonth(utcMonth(nowMs), measured),
      history: past.map((month) => showPastMonth(month, caller.scopes.has('billing:read'))),
      planned_work: works.filter(({ cancelledMs }) => cancelledMs === undefined).map(showPlannedWork),
    },
  };
};
