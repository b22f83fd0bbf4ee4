import { DEFAULT_PLAN_NAMES, type Plan, SPEC_DEFAULT, SPEC_PLANS } from './plan.ts';

/** The facts of an account that its plan depends on. */
export type PlanHolder = {
  readonly accountId: string;
  readonly kind: keyof typeof DEFAULT_PLAN_NAMES;
  /** The assigned plan; null: none. */
  readonly plan: string | null;
};

/** The plans and their accounts, in memory: a request is limited without a query. */
export class PlanBook {
  readonly #plans = new Map<string, Plan>(SPEC_PLANS);
  readonly #held = new Map<string, string>();

  /** Returns the plan of an account: the assigned one, else the default of its kind. A deleted plan counts as not assigned. */
  readonly planOf = (accountId: string): Plan => {
    const name = this.#held.get(accountId) ?? DEFAULT_PLAN_NAMES.customer;
    return this.#plans.get(name) ?? this.#plans.get(DEFAULT_PLAN_NAMES.customer) ?? SPEC_DEFAULT;
  };

  /** Returns the plan with this name; undefined if no plan has it. */
  find(name: string): Plan | undefined {
    return this.#plans.get(name);
  }

  /** Lists all plans, by name. */
  list(): readonly Plan[] {
    return [...this.#plans.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Replaces all plans that operators have written. Unchanged plans keep the windows of their keys. */
  replace(written: readonly Plan[]): void {
    const names = new Set(written.map(({ name }) => name));
    for (const { name, source } of this.list()) if (source === 'store' && !names.has(name)) this.drop(name);
    for (const plan of written) if (!isSame(plan, this.#plans.get(plan.name))) this.put(plan);
  }

  /** Adds or replaces a plan. It applies from the next request on; every key begins a new window with it. */
  put(plan: Plan): void {
    this.#plans.set(plan.name, plan);
  }

  /** Removes a plan that an operator wrote; a plan of the specification with the same name applies again. */
  drop(name: string): void {
    const spec = SPEC_PLANS.get(name);
    if (spec === undefined) this.#plans.delete(name);
    else this.#plans.set(name, spec);
  }

  /** Sets the plan of an account, from the next request on. */
  hold({ accountId, kind, plan }: PlanHolder): void {
    this.#held.set(accountId, plan ?? DEFAULT_PLAN_NAMES[kind]);
  }
}

function isSame(a: Plan, b: Plan | undefined): boolean {
  return a.requestsPerSecond === b?.requestsPerSecond && a.burst === b.burst && a.source === b.source;
}
