import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { removePlan } from '../../plans/plans.ts';
import type { OperationContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { showPlan } from '../operated-account-view.ts';

/** `DELETE /account/v1/operator/plans/{id}`; the id is the plan's name. */
export const deletePlan: AccountHandler<OperationContext, 'deletePlan'> = async (context, { id }) => {
  const back = await removePlan({ ...context, record: recordChange(context, 'deleteplan') }, id);
  return { kind: 'json', body: { name: id, ...(back === undefined ? {} : { now: showPlan(back) }) } };
};
