import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { leftMail } from '../../email/mail-texts.ts';
import { removeMember } from '../../identity/members/members.ts';
import type { Role } from '../../identity/members/sessions.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';

const OWNERS: ReadonlySet<Role> = new Set(['owner']);

/**
 * `DELETE /account/v1/membership`: the caller is no longer a member, and the session has ended. The owners get an email about what still
 * works.
 */
export const leaveAccount: AccountHandler<AccountContext, 'leaveAccount'> = async (context) => {
  const { members, credentials, request, mail, keepSession } = context;
  const holder = sessionOf(context);
  const { accountId, memberId } = holder;
  await removeMember(members, holder, memberId, request, async (tx, made) => {
    const mailOf = (to: string, account: string) => leftMail({ to, account, made });
    await mail?.tellMembers(tx, { accountId, kind: 'membership', roles: OWNERS, mailOf }, request.nowMs);
  });
  credentials.withdraw(holder.sessionId);
  keepSession(undefined);
  return completed(context);
};
