import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { removeMember as remove } from '../../account/members/members.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../base/service-error.ts';

/** `DELETE /account/v1/members/{id}`: the sessions, credentials and invitations of the member have ended. */
export const removeMember: AccountHandler<AccountContext, 'removeMember'> = async (context, { id }) => {
  if (!isUuid(id)) throw serviceError('memberNotFound');
  const { members, credentials, request } = context;
  const { keys, tokens } = await remove(members, sessionOf(context), id, request);
  await credentials.checkNow();
  const made = {
    keys: keys.map(({ id: key_id, name }) => ({ key_id, name })),
    tokens: tokens.map(({ id: token_id, name }) => ({ token_id, name })),
  };
  return { kind: 'json', body: { ...completed(context).body, ...made } };
};
