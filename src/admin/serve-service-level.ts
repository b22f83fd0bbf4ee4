import { randomUUID } from 'node:crypto';
import type { RecordChange } from '../account/api-keys.ts';
import { appendAudits } from '../account/audit/append-audits.ts';
import { findAccount } from '../account/find-account.ts';
import { operatingAccounts } from '../account/operators.ts';
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

/**
 * Does what a request about the service level asks. Results have the members of the account service. A change of planned work is in the audit
 * logs of the accounts that operate the server.
 */
export async function serveServiceLevel(
  store: Store,
  request: ServiceLevelRequest,
  nowMs: number,
): Promise<unknown> {
  switch (request.kind) {
    case 'availability':
      return showAvailability(store, request.account, nowMs);
    case 'planned-work.list':
      return { planned_work: (await listWork(store, nowMs)).map(showPlannedWork) };
    case 'planned-work.announce': {
      const fault = workFault(request, nowMs);
      if (fault !== undefined)
        throw serviceError('invalidCommand', { reason: `${OPTIONS[fault.member]} ${fault.detail}` });
      return showPlannedWork(
        await announceWork({ store, record: recordFor('announcework', nowMs) }, request, nowMs),
      );
    }
    case 'planned-work.cancel':
      return showPlannedWork(
        await cancelWork({ store, record: recordFor('cancelwork', nowMs) }, request.id, nowMs),
      );
  }
}

/** A command has no account, no token, and no request id but one that is made for its records. */
function recordFor(action: string, nowMs: number): RecordChange {
  const requestId = `cmd_${randomUUID()}`;
  return async (tx, subject) => {
    const fact = { action, outcome: 'ok', requestId, subject };
    const operators = await operatingAccounts(tx);
    await appendAudits(
      tx,
      operators.map((accountId) => ({ accountId, fact })),
      nowMs,
    );
  };
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
