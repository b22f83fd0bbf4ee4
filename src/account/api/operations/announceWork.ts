import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { announceWork as announce, workFault } from '../../service-level/planned-work.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { readInstant } from '../read-span.ts';
import { recordChange } from '../record-change.ts';
import { toPlannedWorkView } from '../planned-work-view.ts';

/** `POST /account/v1/operator/planned-work`. */
export const announceWork: AccountHandler<OperationContext, 'announceWork'> = async (context, { body }) => {
  const nowMs = context.clock.nowMs();
  const startMs = readTime('/starts_at', body.starts_at);
  const endMs = readTime('/ends_at', body.ends_at);
  const fault = workFault({ startMs, endMs }, nowMs);
  if (fault !== undefined) throw refuse(`/${fault.member}`, fault.detail);
  const deps = { store: context.store, record: recordChange(context, 'announcework') };
  return {
    kind: 'json',
    body: toPlannedWorkView(await announce(deps, { startMs, endMs, note: body.note }, nowMs)),
  };
};

function readTime(pointer: string, text: string): number {
  const instant = readInstant(text);
  if (instant === undefined) throw refuse(pointer, 'is not a valid date and time');
  return instant.getTime();
}

function refuse(pointer: string, detail: string): Error {
  return serviceError('bodyInvalid', { errors: [{ pointer, detail }] });
}
