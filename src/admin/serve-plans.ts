import { findAccount } from '../account/find-account.ts';
import type { Plan } from '../account/plan.ts';
import { assignPlan, listPlans, type PlanDeps, removePlan, setPlan } from '../account/plans.ts';
import { serviceError } from '../base/service-error.ts';
import type { PlanRequest } from './plan-request.ts';

/** Does what a request about plans asks, in the store and in memory at once. */
export async function servePlans(deps: PlanDeps, request: PlanRequest): Promise<unknown> {
  switch (request.kind) {
    case 'plans.list': {
      const plans = await listPlans(deps);
      return {
        plans: plans.map(({ isDefault, accounts, ...plan }) => ({
          ...showPlan(plan),
          is_default: isDefault,
          accounts,
        })),
      };
    }
    case 'plans.set':
      return showPlan(await setPlan(deps, request));
    case 'plans.show':
      return showPlan(findPlan(deps, request.name));
    case 'plans.remove': {
      const back = await removePlan(deps, request.name);
      return { name: request.name, now: back === undefined ? null : showPlan(back) };
    }
    case 'plans.assigned': {
      const accountId = await findAccount(deps.store, request.account);
      return { account: request.account, plan: showPlan(deps.plans.planOf(accountId)) };
    }
    case 'plans.assign':
      return { account: request.account, plan: showPlan(await assignPlan(deps, request)) };
  }
}

function findPlan({ plans }: PlanDeps, name: string): Plan {
  const plan = plans.find(name);
  if (plan !== undefined) return plan;
  const known = plans.list().map((one) => one.name);
  throw serviceError('planNotFound', { name, known: known.join(', ') });
}

function showPlan({ name, requestsPerSecond, burst, source }: Plan) {
  return { name, requests_per_second: requestsPerSecond, burst, source };
}
