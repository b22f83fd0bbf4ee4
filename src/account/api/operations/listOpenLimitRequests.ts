import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readOpenLimitRequests } from '../../plans/limit-requests.ts';
import { readPage } from '../../../core/read-page.ts';
import type { OperationContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { showOperatedLimitRequest } from '../limit-request-view.ts';
import { isUuid } from '../uuid.ts';

/** `GET /account/v1/operator/limit-requests`: a page of the open requests of all accounts. */
export const listOpenLimitRequests: AccountHandler<OperationContext, 'listOpenLimitRequests'> = async (
  context,
  { query },
) => {
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readOpenLimitRequests(context.store, page),
  });
  await recordRead(context, 'listopenlimitrequests');
  return { kind: 'json', body: { limit_requests: rows.map(showOperatedLimitRequest), ...nextCursor } };
};
