import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { hasAnyMember } from '../../identity/members/members.ts';
import type { AccountContext } from '../account-context.ts';

/** `GET /account/v1/sign-in-options` */
export const getSignInOptions: AccountHandler<AccountContext, 'getSignInOptions'> = async ({
  store,
  mail,
}) => {
  const hasMembers = await hasAnyMember(store);
  return { kind: 'json', body: { can_reset_password: mail !== undefined, has_members: hasMembers } };
};
