import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { listPlans as list } from '../../plans/plans.ts';
import type { OperationContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { showPlan } from '../operated-account-view.ts';

/** `GET /account/v1/operator/plans`. */
export const listPlans: AccountHandler<OperationContext, 'listPlans'> = async (context) => {
  const listed = await list(context);
  await recordRead(context, 'listplans');
  const plans = listed.map(({ isDefault, accounts, ...plan }) => ({
    ...showPlan(plan),
    is_default: isDefault,
    accounts,
  }));
  return { kind: 'json', body: { plans } };
};
