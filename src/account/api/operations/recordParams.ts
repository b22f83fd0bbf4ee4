import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { PARAMS_KEPT_MS, setRecordedParams } from '../../requests/recorded-params.ts';
import type { OperationContext } from '../account-context.ts';
import { assertAccount } from '../operated-account-view.ts';
import { recordOperation } from '../record-change.ts';

/** `POST /account/v1/operator/accounts/{id}/request-params`: keeps the params of an account's ledger calls for an hour, or stops that. */
export const recordParams: AccountHandler<OperationContext, 'recordParams'> = async (
  context,
  { id, body },
) => {
  const { store, recordedParams, clock } = context;
  await assertAccount(context, id);
  const until = body.record ? new Date(clock.nowMs() + PARAMS_KEPT_MS) : undefined;
  const record = recordOperation(context, 'recordparams');
  await setRecordedParams({ store, recordedParams, record }, id, until);
  return { kind: 'json', body: { account_id: id, ...(until && { until: until.toISOString() }) } };
};
