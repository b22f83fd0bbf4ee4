import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { signOut as end } from '../../identity/members/sessions.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `DELETE /account/v1/session`: the session, its cookie and its credentials have ended. */
export const signOut: AccountHandler<AccountContext, 'signOut'> = async (context) => {
  const { members, credentials, request, keepSession } = context;
  const holder = sessionOf(context);
  await end(members, holder, request);
  credentials.withdraw(holder.sessionId);
  keepSession(undefined);
  return completed(context);
};
