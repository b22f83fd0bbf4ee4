import type { PlansAction } from './plans-options.ts';
import { textTable } from './text-table.ts';

type Plan = {
  readonly name: string;
  readonly requests_per_second: number;
  readonly burst: number;
  readonly source: 'spec' | 'store';
};
type ListedPlan = Plan & { readonly is_default: boolean; readonly accounts: number };
type Result = Plan & {
  readonly plans?: readonly ListedPlan[];
  readonly plan?: Plan;
  readonly account?: string;
  readonly now?: Plan | null;
};

const HEAD = ['PLAN', 'REQUESTS/S', 'BURST', 'ACCOUNTS', 'FROM'] as const;
const SOURCES = { spec: 'specification', store: 'keyslot plans set' } as const;

/** What `keyslot plans …` prints for people. `result` is what it prints as JSON. */
export function describePlans(action: PlansAction, result: unknown): string {
  const { plans = [], plan, account, now, ...own } = result as Result;
  switch (action) {
    case 'list':
      return textTable(HEAD, plans.map(cells), ['REQUESTS/S', 'BURST', 'ACCOUNTS']);
    case 'set':
      return `The plan ${own.name} allows each key ${figures(own)}.\n`;
    case 'remove':
      return now
        ? `The plan ${own.name} is as the specification has it: ${figures(now)}.\n`
        : `The plan ${own.name} is removed.\n`;
    case 'assign':
      return `The account ${account} has the plan ${plan?.name}${plan === undefined ? '' : `: each of its keys ${figures(plan)}`}.\n`;
  }
}

function figures({ requests_per_second: rate, burst }: Plan): string {
  return `${rate} requests per second, ${burst} at once`;
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
