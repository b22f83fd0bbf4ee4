import { PLANS } from '../../generated/plans.ts';
import { findAccount } from '../account/find-account.ts';
import { measureMonth } from '../account/service-level/measure-month.ts';
import { utcMonth } from '../base/utc-month.ts';
import { readPastMonths } from '../account/service-level/past-months.ts';
import { announceWork, cancelWork, listWork, workFault } from '../account/service-level/planned-work.ts';
import { showCurrentMonth, showPastMonth, showPromise } from '../account-api/show-availability.ts';
import { showPlannedWork } from '../account-api/show-planned-work.ts';
import { serviceError } from '../base/service-error.ts';
import type { Store } from '../store/open-store.ts';
import type { ServiceLevelRequest } from './service-level-request.ts';

/** The options that set the times of work. */
const OPTIONS = { starts_at: '--from', ends_at: '--until' } as const;
const LISTED_MS = PLANS.availability.kept.days * 86_400_000;

/** Does what a request about the service level asks. Results have the members of the account service. */
export async function serveServiceLevel(
  store: Store,
  request: ServiceLevelRequest,
  nowMs: number,
): Promise<unknown> {
  switch (request.kind) {
    case 'availability':
      return showAvailability(store, request.account, nowMs);
    case 'planned-work.list':
      return { planned_work: (await listWork(store, nowMs - LISTED_MS)).map(showPlannedWork) };
    case 'planned-work.announce': {
      const fault = workFault(request, nowMs);
      if (fault !== undefined)
        throw serviceError('invalidCommand', { reason: `${OPTIONS[fault.member]} ${fault.detail}` });
      return showPlannedWork(await announceWork({ store }, request, nowMs));
    }
    case 'planned-work.cancel':
      return showPlannedWork(await cancelWork({ store }, request.id, nowMs));
  }
}

async function showAvailability(store: Store, account: string | undefined, nowMs: number) {
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  const month = utcMonth(nowMs);
  const owner = accountId === undefined ? {} : { accountId };
  const measured = await measureMonth(store.db, { ...owner, month, nowMs });
  const past = await readPastMonths(store, accountId);
  const works = await listWork(store, nowMs);
  return {
    account: account ?? null,
    ...showPromise(),
    ...showCurrentMonth(month, measured),
    history: past.map((each) => showPastMonth(each, true)),
    planned_work: works.filter(({ cancelledMs }) => cancelledMs === undefined).map(showPlannedWork),
  };
}
