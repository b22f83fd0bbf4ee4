import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { grantLimitRequest as grant } from '../../plans/decide-limit-request.ts';
import type { OperationContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertLimitRequestId, showOperatedLimitRequest } from '../limit-request-view.ts';

/** `POST /account/v1/operator/limit-requests/{id}/grant`: sets the limit too. */
export const grantLimitRequest: AccountHandler<OperationContext, 'grantLimitRequest'> = async (
  context,
  { id },
) => {
  assertLimitRequestId(id);
  const append = recordOperation(context, 'grantlimitrequest');
  const granted = await grant(
    { ...context, record: (tx, request) => append(tx, request.accountId, request.id) },
    id,
    context.clock.nowMs(),
  );
  return { kind: 'json', body: showOperatedLimitRequest(granted) };
};
