import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { endSession as end } from '../../identity/members/sessions.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../../core/service-error.ts';

/** `DELETE /account/v1/sessions/{id}` */
export const endSession: AccountHandler<AccountContext, 'endSession'> = async (context, { id }) => {
  const { members, credentials, request, keepSession } = context;
  const holder = sessionOf(context);
  if (!isUuid(id)) throw serviceError('sessionNotFound');
  await end(members, holder, id, request);
  credentials.withdraw(id);
  if (id === holder.sessionId) keepSession(undefined);
  return completed(context);
};
