import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { announceWork as announce, workFault } from '../../account/service-level/planned-work.ts';
import { serviceError } from '../../base/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { readInstant } from '../read-instant.ts';
import { recordChange } from '../record-change.ts';
import { showPlannedWork } from '../show-planned-work.ts';

/** `POST /account/v1/operator/planned-work`. */
export const announceWork: AccountHandler<AccountContext, 'announceWork'> = async (context, { body }) => {
  const nowMs = context.clock.nowMs();
  const startMs = readTime('/starts_at', body.starts_at);
  const endMs = readTime('/ends_at', body.ends_at);
  const fault = workFault({ startMs, endMs }, nowMs);
  if (fault !== undefined) throw refuse(`/${fault.member}`, fault.detail);
  const deps = { store: context.store, record: recordChange(context, 'announcework') };
  return {
    kind: 'json',
    body: showPlannedWork(await announce(deps, { startMs, endMs, note: body.note }, nowMs)),
  };
};

function readTime(pointer: string, text: string): number {
  const instant = readInstant(text);
  if (instant === undefined) throw refuse(pointer, 'is not an instant of the calendar');
  return instant.getTime();
}

function refuse(pointer: string, detail: string): Error {
  return serviceError('bodyInvalid', { errors: [{ pointer, detail }] });
}
