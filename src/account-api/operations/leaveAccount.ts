import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { removeMember } from '../../account/members/members.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `DELETE /account/v1/membership`: the caller is a member no more, and the session has ended. */
export const leaveAccount: AccountHandler<AccountContext, 'leaveAccount'> = async (context) => {
  const { members, credentials, request, keepSession } = context;
  const holder = sessionOf(context);
  await removeMember(members, holder, holder.memberId, request);
  credentials.withdraw(holder.sessionId);
  keepSession(undefined);
  return completed(context);
};
