import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { authenticateSession } from '../../identity/members/sessions.ts';
import { switchAccount as move } from '../../identity/members/switch-account.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { toSessionView } from '../session-view.ts';
import { isUuid } from '../uuid.ts';
import { serviceError } from '../../../core/service-error.ts';

/** `POST /account/v1/session/account`: the session in another account. Credentials of the one before are refused. */
export const switchAccount: AccountHandler<AccountContext, 'switchAccount'> = async (context, { body }) => {
  const { store, members, credentials, request, keepSession } = context;
  const { account_id: accountId } = body;
  if (!isUuid(accountId)) throw serviceError('accountNotJoined');
  const { sessionId, expiresAtMs } = sessionOf(context);
  const token = await move(members, sessionOf(context), accountId, request);
  credentials.withdraw(sessionId);
  keepSession({ token, expiresAt: new Date(expiresAtMs) });
  const holder = await authenticateSession(store.db, token, request.nowMs);
  return { kind: 'json', body: await toSessionView(context, holder) };
};
