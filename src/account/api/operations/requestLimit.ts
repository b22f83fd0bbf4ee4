import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { requestLimit as request } from '../../plans/limit-requests.ts';
import type { AccountContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { toLimitRequestView } from '../limit-request-view.ts';

/** `POST /account/v1/limit-requests`. */
export const requestLimit: AccountHandler<AccountContext, 'requestLimit'> = async (context, { body }) => {
  const { caller, clock } = context;
  const { limit, wanted, reason } = body;
  const deps = { ...context, record: recordChange(context, 'requestlimit') };
  const asked = { accountId: caller.accountId, kind: limit, wanted, reason };
  return { kind: 'json', body: toLimitRequestView(await request(deps, asked, clock.nowMs())) };
};
