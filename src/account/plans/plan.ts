import { PLANS } from '../../../generated/plans.ts';

/** The limits of an account, per key. */
export type Plan = {
  readonly name: string;
  /** Weight that a key may use per second, on average over a window. */
  readonly requestsPerSecond: number;
  /** Weight that a key may use at once, or in a window of `burst / requestsPerSecond` seconds. */
  readonly burst: number;
  /** `spec`: from spec/plans.yaml; `store`: written by an operator. */
  readonly source: 'spec' | 'store';
};

/** The bounds for the figures of a plan. */
export const PLAN_BOUNDS = {
  requestsPerSecond: 1_000_000,
  /** Maximum length of a window. */
  windowSeconds: 3_600,
  burst: 1_000_000_000,
} as const;

type SpecPlanName = keyof typeof PLANS.plans;

/** The plans of the specification, by name. */
export const SPEC_PLANS: ReadonlyMap<string, Plan> = new Map(
  Object.keys(PLANS.plans).map((name) => [name, specPlan(name as SpecPlanName)]),
);

/** The specification's plan for accounts without an assigned one. */
export const SPEC_DEFAULT: Plan = specPlan(PLANS.default_plan);

/** Names of the plans for accounts without an assigned one. */
export const DEFAULT_PLAN_NAMES = {
  customer: PLANS.default_plan,
  development: PLANS.development_plan,
} satisfies Readonly<Record<string, SpecPlanName>>;

/** True when a text can be the name of a plan: it appears in header fields, labels and tables. */
export function isPlanName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text);
}

/** Describes the fault in the figures of a plan, naming the bound and the value; undefined if they are valid. */
export function planProblem({
  requestsPerSecond,
  burst,
}: Pick<Plan, 'requestsPerSecond' | 'burst'>): string | undefined {
  const most = PLAN_BOUNDS.requestsPerSecond;
  if (!Number.isInteger(requestsPerSecond) || requestsPerSecond < 1 || requestsPerSecond > most)
    return `requests per second is ${requestsPerSecond}; must be an integer from 1 to ${most}`;
  const mostBurst = Math.min(requestsPerSecond * PLAN_BOUNDS.windowSeconds, PLAN_BOUNDS.burst);
  if (!Number.isInteger(burst) || burst < requestsPerSecond || burst > mostBurst)
    return `burst is ${burst}; must be an integer from the requests per second, ${requestsPerSecond}, to ${mostBurst}`;
  return undefined;
}

function specPlan(name: SpecPlanName): Plan {
  const { requests_per_second: requestsPerSecond, burst } = PLANS.plans[name];
  return { name, requestsPerSecond, burst, source: 'spec' };
}
