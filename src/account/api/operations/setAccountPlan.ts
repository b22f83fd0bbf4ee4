import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { setAccountPlan as setPlan } from '../../plans/plans.ts';
import type { OperationContext } from '../account-context.ts';
import { recordOperation } from '../record-change.ts';
import { assertAccount, toOperatedAccountView } from '../operated-account-view.ts';

/** `POST /account/v1/operator/accounts/{id}/plan`. */
export const setAccountPlan: AccountHandler<OperationContext, 'setAccountPlan'> = async (context, wanted) => {
  const { id, body } = wanted;
  await assertAccount(context, id);
  await setPlan({ ...context, record: recordOperation(context, 'setaccountplan') }, id, body.plan);
  return { kind: 'json', body: await toOperatedAccountView(context, id) };
};
