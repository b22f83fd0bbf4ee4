import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { acceptSetupLink as accept } from '../../identity/members/setup-links.ts';
import type { AccountContext } from '../account-context.ts';

/** `POST /account/v1/setup-links/accept`. Signing in is another request. */
export const acceptSetupLink: AccountHandler<AccountContext, 'acceptSetupLink'> = async (
  { members, request },
  { body },
) => {
  const { setup_token: token, ...person } = body;
  const { memberId, accountId, email, role } = await accept(members, { token, ...person }, request);
  return { kind: 'json', body: { member_id: memberId, account_id: accountId, email, role } };
};
