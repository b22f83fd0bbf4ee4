import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { withdrawInvitation as withdraw } from '../../identity/members/invitations.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../../core/service-error.ts';

/** `DELETE /account/v1/invitations/{id}` */
export const withdrawInvitation: AccountHandler<AccountContext, 'withdrawInvitation'> = async (
  context,
  { id },
) => {
  if (!isUuid(id)) throw serviceError('invitationNotFound');
  await withdraw(context.members, sessionOf(context), id, context.request);
  return completed(context);
};
