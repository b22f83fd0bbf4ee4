import { serviceError } from '../../core/service-error.ts';
import { wantsAudit } from '../webhooks/audit-event.ts';
import { readTarget } from '../webhooks/target.ts';
import { isEventPattern } from '../webhooks/wanted-types.ts';
import type { OperationContext } from './account-context.ts';

/** The settings of a webhook in a request; a setting that is undefined is not checked. */
type Choice = { readonly url?: string | undefined; readonly events?: readonly string[] | undefined };

/** @throws ServiceError `bodyInvalid` for an address that events may not be sent to, and for types of events that do not exist. */
export async function readChoice(
  { webhooks, caller }: OperationContext,
  { url, events = [] }: Choice,
): Promise<void> {
  if (url !== undefined) readTarget(url, await webhooks.allowedFor(caller.accountId));
  const errors = events.flatMap((pattern, index) =>
    isEventPattern(pattern) ? [] : [{ pointer: `/events/${index}`, detail: 'is not an event type' }],
  );
  if (errors.length > 0) throw serviceError('bodyInvalid', { errors });
}

/** @throws ServiceError `scopeMissing` for events of the audit log that the caller may not read. */
export function assertMayRead({ caller }: OperationContext, events: readonly string[]): void {
  if (wantsAudit(events) && !caller.scopes.has('audit:read'))
    throw serviceError('scopeMissing', { scope: 'audit:read' });
}
