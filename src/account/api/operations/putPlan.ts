import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { setPlan } from '../../plans/plans.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { recordChange } from '../record-change.ts';
import { showPlan } from '../operated-account-view.ts';

/** `POST /account/v1/operator/plans`: creates a plan, or changes it for every account that has it. */
export const putPlan: AccountHandler<OperationContext, 'putPlan'> = async (context, { body }) => {
  const { name, requests_per_second: requestsPerSecond, burst } = body;
  const fault = context.planFault({ requestsPerSecond, burst });
  if (fault !== undefined)
    throw serviceError('bodyInvalid', { errors: [{ pointer: '/burst', detail: fault }] });
  const deps = { ...context, record: recordChange(context, 'putplan') };
  const plan = await setPlan(deps, { name, requestsPerSecond, burst });
  return { kind: 'json', body: showPlan(plan) };
};
