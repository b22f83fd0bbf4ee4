import type { StoreTransaction } from '../../../store/transaction.ts';
import { appendAudit } from '../../audit/append-audit.ts';
import type { MemberRequest } from './member-deps.ts';

/** Changes of members and sessions in the audit log. */
export const MEMBER_ACTIONS = [
  'session.sign_in',
  'session.confirm_second_factor',
  'session.sign_out',
  'session.end',
  'session.end_others',
  'session.switch_account',
  'setup_link.create',
  'setup_link.accept',
  'password_reset.request',
  'password_reset.accept',
  'invitation.create',
  'invitation.withdraw',
  'invitation.accept',
  'member.change_role',
  'member.remove',
  'member.leave_behind',
  'member.enrol_second_factor',
  'member.renew_backup_codes',
  'member.change_password',
  'member.reset',
] as const;

export type MemberAction = (typeof MEMBER_ACTIONS)[number];

/** A change of an account's members or their sessions. */
export type MemberChange = {
  readonly accountId: string;
  readonly action: MemberAction;
  /** The member who made it; undefined: the operator. */
  readonly memberId?: string | undefined;
  /** Id of what was changed, if it is not that member. */
  readonly subject?: string | undefined;
};

/** Appends changes to the audit log of their account. The last step of its transaction: see `appendAudit`. */
export function auditMember(
  tx: StoreTransaction,
  { accountId, ...change }: MemberChange,
  { requestId, address, nowMs }: MemberRequest,
  more: readonly Omit<MemberChange, 'accountId'>[] = [],
): Promise<void> {
  const facts = [change, ...more].map((each) => ({ ...each, outcome: 'ok' as const, requestId, address }));
  return appendAudit(tx, accountId, facts, nowMs);
}
