import { AUDIT_ACTIONS } from '../../../generated/account/events.ts';
import type { AuditRecord } from '../../../generated/account/types.ts';
import { OPERATIONS as WALLET_OPERATIONS } from '../../../generated/wallets/operations.ts';
import type { StoredRecord } from '../audit/read-chain.ts';
import { showRecord } from '../audit/show-record.ts';
import { createEvent, type WebhookEvent } from './event.ts';
import { isWanted } from './wanted-types.ts';

const WALLET_ACTIONS: ReadonlySet<string> = new Set(
  Object.values(WALLET_OPERATIONS).map(({ audit }) => audit),
);

/** Returns the type of the event of an action in the audit log: `wallet.sign`, `account.createkey`. */
export function auditEventType(action: string): string {
  return `${WALLET_ACTIONS.has(action) ? 'wallet' : 'account'}.${action}`;
}

/** True where some events that fit these patterns are records of the audit log; no pattern: every type. */
export function wantsAudit(patterns: readonly string[]): boolean {
  return AUDIT_ACTIONS.some((action) => isWanted(patterns, auditEventType(action)));
}

/** Returns the event of a record of the audit log: the same each time. */
export function auditEvent(record: StoredRecord): WebhookEvent {
  return shownEvent(showRecord(record));
}

/** Returns the event of a record as the account service shows it, without the name of its token, which may change. */
export function shownEvent({ token_name: _name, ...record }: AuditRecord): WebhookEvent {
  const { account_id: accountId, seq, at, action } = record;
  const id = `audit_${accountId.replaceAll('-', '')}_${seq}`;
  return createEvent(id, auditEventType(action), at, record);
}
