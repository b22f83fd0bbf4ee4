import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { acceptInvitation as accept } from '../../identity/members/invitations.ts';
import type { AccountContext } from '../account-context.ts';

/** `POST /account/v1/invitations/accept`. Signing in is another request. */
export const acceptInvitation: AccountHandler<AccountContext, 'acceptInvitation'> = async (
  { members, request },
  { body },
) => {
  const { invitation_token: token, ...person } = body;
  const { memberId, accountId, email, role } = await accept(members, { token, ...person }, request);
  return { kind: 'json', body: { member_id: memberId, account_id: accountId, email, role } };
};
