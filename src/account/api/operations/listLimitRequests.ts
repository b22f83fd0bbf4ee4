import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readLimitRequests } from '../../plans/limit-requests.ts';
import { readPage } from '../../../core/read-page.ts';
import type { AccountContext } from '../account-context.ts';
import { toLimitRequestView } from '../limit-request-view.ts';
import { isUuid } from '../uuid.ts';

/** `GET /account/v1/limit-requests`: a page of the account's requests. */
export const listLimitRequests: AccountHandler<AccountContext, 'listLimitRequests'> = async (
  { store, caller },
  { query },
) => {
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readLimitRequests(store, caller.accountId, page),
  });
  return { kind: 'json', body: { limit_requests: rows.map(toLimitRequestView), ...nextCursor } };
};
