import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { refuseLimitRequest as refuse } from '../../plans/decide-limit-request.ts';
import type { OperationContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertLimitRequestId, showOperatedLimitRequest } from '../limit-request-view.ts';

/** `POST /account/v1/operator/limit-requests/{id}/refuse`. */
export const refuseLimitRequest: AccountHandler<OperationContext, 'refuseLimitRequest'> = async (
  context,
  { id, body },
) => {
  assertLimitRequestId(id);
  const append = recordOperation(context, 'refuselimitrequest');
  const refused = await refuse(
    { store: context.store, record: (tx, request) => append(tx, request.accountId, request.id) },
    { id, answer: body.reason },
    context.clock.nowMs(),
  );
  return { kind: 'json', body: showOperatedLimitRequest(refused) };
};
