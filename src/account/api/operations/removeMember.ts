import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { removeMember as remove } from '../../identity/members/members.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';
import { toMadeView } from '../made-view.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../../core/service-error.ts';

/** `DELETE /account/v1/members/{id}`: the sessions, credentials and invitations of the member have ended. */
export const removeMember: AccountHandler<AccountContext, 'removeMember'> = async (context, { id }) => {
  if (!isUuid(id)) throw serviceError('memberNotFound');
  const { members, credentials, request } = context;
  const made = await remove(members, sessionOf(context), id, request);
  await credentials.checkNow();
  return { kind: 'json', body: { ...completed(context).body, ...toMadeView(made) } };
};
