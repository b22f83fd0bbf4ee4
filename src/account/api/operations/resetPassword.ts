import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { resetPassword as reset } from '../../identity/members/password-resets.ts';
import type { AccountContext } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `POST /account/v1/password-resets/accept`. Signing in is another request. */
export const resetPassword: AccountHandler<AccountContext, 'resetPassword'> = async (context, { body }) => {
  const { members, request } = context;
  await reset(members, { token: body.reset_token, password: body.password }, request);
  return completed(context);
};
