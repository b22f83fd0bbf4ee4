import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { confirmSecondFactor as confirm } from '../../identity/members/member-factor.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { toSessionView } from '../session-view.ts';

/** `POST /account/v1/session/confirm`: the session is fresh, with another token. */
export const confirmSecondFactor: AccountHandler<AccountContext, 'confirmSecondFactor'> = async (
  context,
  { body },
) => {
  const { members, request, keepSession } = context;
  const holder = sessionOf(context);
  const { token, freshFactorUntilMs } = await confirm(members, holder, body.code, request);
  keepSession({ token, expiresAt: new Date(holder.expiresAtMs) });
  return { kind: 'json', body: await toSessionView(context, { ...holder, freshFactorUntilMs }) };
};
