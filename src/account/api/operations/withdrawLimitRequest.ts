import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { withdrawLimitRequest as withdraw } from '../../plans/decide-limit-request.ts';
import type { AccountContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { assertLimitRequestId, toLimitRequestView } from '../limit-request-view.ts';

/** `DELETE /account/v1/limit-requests/{id}`. */
export const withdrawLimitRequest: AccountHandler<AccountContext, 'withdrawLimitRequest'> = async (
  context,
  { id },
) => {
  assertLimitRequestId(id);
  const { store, caller, clock } = context;
  const append = recordChange(context, 'withdrawlimitrequest');
  const withdrawn = await withdraw(
    { store, record: (tx, request) => append(tx, request.id) },
    { id, accountId: caller.accountId },
    clock.nowMs(),
  );
  return { kind: 'json', body: toLimitRequestView(withdrawn) };
};
