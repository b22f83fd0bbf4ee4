import { DEFAULT_PLAN_NAMES, type Plan, SPEC_DEFAULT, SPEC_PLANS } from './plan.ts';

/** What an account is, as far as its plan depends on it. */
export type PlanHolder = {
  readonly accountId: string;
  readonly kind: keyof typeof DEFAULT_PLAN_NAMES;
  /** The plan that it was given; null: none. */
  readonly plan: string | null;
};

/** The plans, and which account has which, in memory: a request is limited without a query. */
export class PlanBook {
  readonly #plans = new Map<string, Plan>(SPEC_PLANS);
  readonly #held = new Map<string, string>();

  /** The plan of an account: the one that it was given, else that of its kind. One that is gone counts as not given. */
  planOf(accountId: string): Plan {
    const name = this.#held.get(accountId) ?? DEFAULT_PLAN_NAMES.customer;
    return this.#plans.get(name) ?? this.#plans.get(DEFAULT_PLAN_NAMES.customer) ?? SPEC_DEFAULT;
  }

  /** The plan of this name; undefined if there is none. */
  find(name: string): Plan | undefined {
    return this.#plans.get(name);
  }

  /** All plans, by name. */
  list(): readonly Plan[] {
    return [...this.#plans.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Takes in what operators have written, all of it. Plans that are as they were keep the windows of their keys. */
  replace(written: readonly Plan[]): void {
    const names = new Set(written.map(({ name }) => name));
    for (const { name, source } of this.list()) if (source === 'store' && !names.has(name)) this.drop(name);
    for (const plan of written) if (!isSame(plan, this.#plans.get(plan.name))) this.put(plan);
  }

  /** Takes a plan in. It holds from the next request on; every key begins a new window with it. */
  put(plan: Plan): void {
    this.#plans.set(plan.name, plan);
  }

  /** Forgets a plan that an operator wrote; one of the specification with its name is back. */
  drop(name: string): void {
    const spec = SPEC_PLANS.get(name);
    if (spec === undefined) this.#plans.delete(name);
    else this.#plans.set(name, spec);
  }

  /** Notes which plan an account has, from the next request on. */
  hold({ accountId, kind, plan }: PlanHolder): void {
    this.#held.set(accountId, plan ?? DEFAULT_PLAN_NAMES[kind]);
  }
}

function isSame(a: Plan, b: Plan | undefined): boolean {
  return a.requestsPerSecond === b?.requestsPerSecond && a.burst === b.burst && a.source === b.source;
}
