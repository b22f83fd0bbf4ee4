import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { changePassword as change } from '../../identity/members/change-password.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `POST /account/v1/password`. Every other session of the login has ended. */
export const changePassword: AccountHandler<AccountContext, 'changePassword'> = async (context, { body }) => {
  const { members, credentials, request } = context;
  const { password: present, new_password: next } = body;
  await change(members, sessionOf(context), { present, next }, request);
  await credentials.checkNow();
  return completed(context);
};
