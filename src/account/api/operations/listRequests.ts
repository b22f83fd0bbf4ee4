import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { positionOf, printCursor } from '../../../core/read-page.ts';
import { listRequests as list } from '../../requests/list-requests.ts';
import type { OperationContext } from '../account-context.ts';
import { isNumber } from '../is-number.ts';
import { readSpan } from '../read-span.ts';
import { toRequestView } from '../request-view.ts';

/** `GET /account/v1/requests`: a page of the account's requests, including those of this process that are not stored yet. */
export const listRequests: AccountHandler<OperationContext, 'listRequests'> = async (
  { store, flushRequests, caller: { accountId } },
  { query },
) => {
  const { limit, cursor, protocol, network, method, outcome, status, error, node } = query;
  const page = { ...readSpan(query), after: positionOf(cursor, isNumber), limit };
  await flushRequests();
  const { requests, next } = await list(store, accountId, {
    ...page,
    protocol,
    network,
    method,
    outcome,
    status,
    error,
    node,
    callerId: query.caller_id,
    minDurationMs: query.min_duration_ms,
    minBytes: query.min_bytes,
    requestId: query.request_id,
  });
  const nextCursor = next === undefined ? {} : { next_cursor: printCursor(next) };
  return { kind: 'json', body: { requests: requests.map(toRequestView), ...nextCursor } };
};
