import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { serviceError } from '../../../core/service-error.ts';
import { MAX_LIMIT } from '../../../store/list-page.ts';
import { listRequests } from '../../requests/list-requests.ts';
import type { OperationContext } from '../account-context.ts';
import { toRequestView } from '../request-view.ts';

/** `GET /account/v1/requests/{id}`: what is kept of a request of the account. */
export const readRequest: AccountHandler<OperationContext, 'readRequest'> = async (
  { store, flushRequests, caller: { accountId } },
  { id },
) => {
  await flushRequests();
  const { requests } = await listRequests(store, accountId, { requestId: id, limit: MAX_LIMIT });
  if (requests.length === 0) throw serviceError('requestNotFound', { id });
  return { kind: 'json', body: { request_id: id, requests: requests.map(toRequestView) } };
};
