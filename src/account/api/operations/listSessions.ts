import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { listSessions as list } from '../../identity/members/sessions.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `GET /account/v1/sessions`: the live sessions of the member, without their tokens. */
export const listSessions: AccountHandler<AccountContext, 'listSessions'> = async (context) => {
  const sessions = await list(context.members, sessionOf(context), context.request.nowMs);
  return {
    kind: 'json',
    body: {
      sessions: sessions.map(({ sessionId, createdAt, expiresAt, address, userAgent, isCurrent }) => ({
        session_id: sessionId,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
        ...(address === null ? {} : { address }),
        ...(userAgent === null ? {} : { user_agent: userAgent }),
        is_current: isCurrent,
      })),
    },
  };
};
