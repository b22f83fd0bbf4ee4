import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { endOtherSessions as end } from '../../identity/members/sessions.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `DELETE /account/v1/sessions`: every session of the login but this one has ended. */
export const endOtherSessions: AccountHandler<AccountContext, 'endOtherSessions'> = async (context) => {
  await end(context.members, sessionOf(context), context.request);
  await context.credentials.checkNow();
  return completed(context);
};
