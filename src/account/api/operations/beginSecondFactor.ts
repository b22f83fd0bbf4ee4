import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { beginMemberFactor } from '../../identity/members/member-factor.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `POST /account/v1/second-factor`: creates a secret, which is not active until its first code is confirmed. */
export const beginSecondFactor: AccountHandler<AccountContext, 'beginSecondFactor'> = async (
  context,
  { body },
) => {
  const { members, request } = context;
  const { secret, uri } = await beginMemberFactor(members, sessionOf(context), body.password, request);
  return { kind: 'json', body: { secret, otpauth_uri: uri } };
};
