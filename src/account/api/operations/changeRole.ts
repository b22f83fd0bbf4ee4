import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { changeRole as change } from '../../identity/members/members.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';
import { toMadeView } from '../made-view.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../../core/service-error.ts';

/** `POST /account/v1/members/{id}/role` */
export const changeRole: AccountHandler<AccountContext, 'changeRole'> = async (context, { id, body }) => {
  if (!isUuid(id)) throw serviceError('memberNotFound');
  const { members, credentials, request } = context;
  const made = await change(members, sessionOf(context), { memberId: id, role: body.role }, request);
  await credentials.checkNow();
  return { kind: 'json', body: { ...completed(context).body, ...toMadeView(made) } };
};
