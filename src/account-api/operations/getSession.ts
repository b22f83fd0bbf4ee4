import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { showSession } from '../show-session.ts';

/** `GET /account/v1/session` */
export const getSession: AccountHandler<AccountContext, 'getSession'> = async (context) => {
  return { kind: 'json', body: await showSession(context, sessionOf(context)) };
};
