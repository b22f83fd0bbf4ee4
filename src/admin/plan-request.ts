import { isPlanName, planProblem } from '../account/plan.ts';
import { HEAVIEST } from '../gate/weigh.ts';
import { serviceError } from '../base/service-error.ts';

/** A command about plans, checked. */
export type PlanRequest =
  | { readonly kind: 'plans.list' }
  | {
      readonly kind: 'plans.set';
      readonly name: string;
      readonly requestsPerSecond: number;
      readonly burst: number;
    }
  | { readonly kind: 'plans.remove'; readonly name: string }
  | { readonly kind: 'plans.assign'; readonly account: string; readonly plan: string };

/**
 * Checks a command about plans.
 *
 * @throws ServiceError `invalidCommand`, naming what is wrong, its bound and its value.
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
      const problem = planProblem(figures) ?? tooNarrow(figures.burst);
      if (problem !== undefined) throw mistake(problem);
      return { kind, name: readName(name), ...figures };
    }
    case 'plans.remove':
      return { kind, name: readName(name) };
    case 'plans.assign':
      return { kind, account: String(account), plan: readName(plan) };
    default:
      throw mistake('the server does not know this command; is it of another version?');
  }
}

function readName(name: unknown): string {
  if (typeof name === 'string' && isPlanName(name)) return name;
  throw mistake(
    `the name of a plan is ${JSON.stringify(name)}; must have 1 to 63 characters of a to z, 0 to 9, dash and underscore, and begin with a letter or digit`,
  );
}

/** A call that weighs more than the burst is never served. */
function tooNarrow(burst: number): string | undefined {
  const { methods, weight } = HEAVIEST;
  if (burst >= weight) return undefined;
  return `burst is ${burst}; must be at least ${weight}, which is what a call of ${methods.join(' or ')} weighs: with less it is never served`;
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
