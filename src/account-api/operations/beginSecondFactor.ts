import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { beginMemberFactor } from '../../account/members/member-factor.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `POST /account/v1/second-factor`: a secret, which counts once its first code was sent. */
export const beginSecondFactor: AccountHandler<AccountContext, 'beginSecondFactor'> = async (
  context,
  { body },
) => {
  const { members, request } = context;
  const { secret, uri } = await beginMemberFactor(members, sessionOf(context), body.password, request);
  return { kind: 'json', body: { secret, otpauth_uri: uri } };
};
