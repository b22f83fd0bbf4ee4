import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';
import { toSessionView } from '../session-view.ts';

/** `GET /account/v1/session` */
export const getSession: AccountHandler<AccountContext, 'getSession'> = async (context) => {
  return { kind: 'json', body: await toSessionView(context, sessionOf(context)) };
};
