import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { removePlan } from '../../account/plans.ts';
import type { AccountContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { showPlan } from '../show-operated-account.ts';

/** `DELETE /account/v1/operator/plans/{id}`; the id is the plan's name. */
export const deletePlan: AccountHandler<AccountContext, 'deletePlan'> = async (context, { id }) => {
  const back = await removePlan({ ...context, record: recordChange(context, 'deleteplan') }, id);
  return { kind: 'json', body: { name: id, ...(back === undefined ? {} : { now: showPlan(back) }) } };
};
