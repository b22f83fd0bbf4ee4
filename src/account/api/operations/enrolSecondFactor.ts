import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { confirmMemberFactor } from '../../identity/members/member-factor.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `POST /account/v1/second-factor/confirm`: backup codes. The session is fresh, with another token. */
export const enrolSecondFactor: AccountHandler<AccountContext, 'enrolSecondFactor'> = async (
  context,
  { body },
) => {
  const { members, request, keepSession } = context;
  const holder = sessionOf(context);
  const { backupCodes, session } = await confirmMemberFactor(members, holder, body.code, request);
  keepSession({ token: session.token, expiresAt: new Date(holder.expiresAtMs) });
  return { kind: 'json', body: { backup_codes: [...backupCodes] } };
};
