import { isPlanName } from '../account/plan.ts';
import { planFault } from '../gate/plan-fault.ts';
import { serviceError } from '../base/service-error.ts';

/** A request about plans, checked. */
export type PlanRequest =
  | { readonly kind: 'plans.list' }
  | {
      readonly kind: 'plans.set';
      readonly name: string;
      readonly requestsPerSecond: number;
      readonly burst: number;
    }
  | { readonly kind: 'plans.show'; readonly name: string }
  | { readonly kind: 'plans.remove'; readonly name: string }
  | { readonly kind: 'plans.assign'; readonly account: string; readonly plan: string }
  /** Asks which plan an account has. */
  | { readonly kind: 'plans.assigned'; readonly account: string };

/**
 * Checks a request about plans.
 *
 * @throws ServiceError `invalidCommand`, naming the figure, its bound and its value.
 */
export function readPlanRequest({
  kind,
  name,
  requestsPerSecond,
  burst,
  account,
  plan,
}: Readonly<Record<string, unknown>>): PlanRequest {
  switch (kind) {
    case 'plans.list':
      return { kind };
    case 'plans.set': {
      const figures = { requestsPerSecond: Number(requestsPerSecond), burst: Number(burst) };
      const problem = planFault(figures);
      if (problem !== undefined) throw mistake(problem);
      return { kind, name: readName(name), ...figures };
    }
    case 'plans.show':
    case 'plans.remove':
      return { kind, name: readName(name) };
    case 'plans.assign':
      return { kind, account: String(account), plan: readName(plan) };
    case 'plans.assigned':
      return { kind, account: String(account) };
    default:
      throw mistake('the server does not know this command; it may be of another version');
  }
}

function readName(name: unknown): string {
  if (typeof name === 'string' && isPlanName(name)) return name;
  throw mistake(
    `the name of a plan must have 1 to 63 characters (a-z, 0-9, dash, underscore) and begin with a letter or digit, got ${JSON.stringify(name)}`,
  );
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
