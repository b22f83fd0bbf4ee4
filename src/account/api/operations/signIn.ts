import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { signIn as open } from '../../identity/members/sign-in.ts';
import { authenticateSession } from '../../identity/members/sessions.ts';
import type { AccountContext } from '../account-context.ts';
import { toSessionView } from '../session-view.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../../core/service-error.ts';

/** `POST /account/v1/session`: a session, whose token is only in the cookie. */
export const signIn: AccountHandler<AccountContext, 'signIn'> = async (context, { body }) => {
  const { store, members, refusals, request, keepSession } = context;
  const { email, password, code, account_id: accountId } = body;
  if (accountId !== undefined && !isUuid(accountId)) throw serviceError('signInFailed');
  const kept = await open({ ...members, refusals }, { email, password, code, accountId }, request);
  const holder = await authenticateSession(store.db, kept.token, request.nowMs);
  const shown = await toSessionView(context, holder);
  keepSession(kept);
  return { kind: 'json', body: shown };
};
