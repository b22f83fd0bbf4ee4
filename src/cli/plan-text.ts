import { textTable } from './text-table.ts';

type Plan = {
  readonly name: string;
  readonly requests_per_second: number;
  readonly burst: number;
  readonly source: 'spec' | 'store';
};
type ListedPlan = Plan & { readonly is_default: boolean; readonly accounts: number };
type Assigned = { readonly account: string; readonly plan: Plan };

const HEAD = ['PLAN', 'REQUESTS/S', 'BURST', 'ACCOUNTS', 'SET BY'] as const;
const SOURCES = { spec: 'specification', store: 'keyslot plans set' } as const;

/** The texts of the results of requests about plans. */
export const PLAN_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'plans.list': ({ plans }: { readonly plans: readonly ListedPlan[] }) =>
    textTable(HEAD, plans.map(cells), ['REQUESTS/S', 'BURST', 'ACCOUNTS']),
  'plans.set': describePlan,
  'plans.show': describePlan,
  'plans.remove': ({ name, now }: { readonly name: string; readonly now: Plan | null }) =>
    now === null
      ? `Removed the plan ${name}.\n`
      : `The plan ${name} has the figures of the specification again: ${figures(now)} for each key.\n`,
  'plans.assign': describeAssigned,
  'plans.assigned': describeAssigned,
};

function describePlan(plan: Plan): string {
  return `The plan ${plan.name} allows ${figures(plan)} for each key (set by: ${SOURCES[plan.source]}).\n`;
}

function describeAssigned({ account, plan }: Assigned): string {
  return `The account ${account} has the plan ${plan.name}: ${figures(plan)} for each key.\n`;
}

function figures({ requests_per_second: rate, burst }: Plan): string {
  return `${rate} requests per second with bursts of ${burst}`;
}

function cells({ name, requests_per_second: rate, burst, source, is_default, accounts }: ListedPlan) {
  return [
    name,
    String(rate),
    String(burst),
    String(accounts),
    `${SOURCES[source]}${is_default ? ' (default)' : ''}`,
  ];
}
