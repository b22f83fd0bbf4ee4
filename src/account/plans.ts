import { count, eq } from '../store/drizzle.ts';
import { serviceError } from '../base/service-error.ts';
import type { Store } from '../store/open-store.ts';
import { accounts, plans } from '../store/tables.ts';
import { isCalled } from './accounts.ts';
import { announce } from './follow-store.ts';
import { DEFAULT_PLAN_NAMES, type Plan, SPEC_PLANS } from './plan.ts';
import { PlanBook } from './plan-book.ts';

/** The store that keeps plans, and the book that answers for it. */
export type PlanDeps = { readonly store: Store; readonly plans: PlanBook };

/** A plan as it is listed. */
export type ListedPlan = Plan & { readonly isDefault: boolean; readonly accounts: number };

/** Channel that notifies processes of changed plans: the id of an account whose plan changed, or nothing for the plans. */
export const PLAN_CHANNEL = 'keyslot_plans';

/** Returns a book with the plans of the store and their accounts. */
export async function loadPlanBook(store: Store): Promise<PlanBook> {
  const book = new PlanBook();
  await readPlans(store, book);
  return book;
}

/** Reads plans and their accounts into a book: all, or one account's. */
export async function readPlans(store: Store, book: PlanBook, accountId?: string): Promise<void> {
  if (accountId === undefined) {
    const rows = await store.db.select().from(plans);
    book.replace(rows.map((row) => ({ ...row, source: 'store' })));
  }
  const holders = await store.db
    .select({ accountId: accounts.id, kind: accounts.kind, plan: accounts.plan })
    .from(accounts)
    .where(accountId === undefined ? undefined : eq(accounts.id, accountId));
  for (const holder of holders) book.hold(holder);
}

/** Lists all plans by name, with the number of accounts of each. */
export async function listPlans({ store, plans: book }: PlanDeps): Promise<readonly ListedPlan[]> {
  const rows = await store.db.select({ accountId: accounts.id }).from(accounts);
  const names = rows.map(({ accountId }) => book.planOf(accountId).name);
  return book.list().map((plan) => ({
    ...plan,
    isDefault: plan.name === DEFAULT_PLAN_NAMES.customer,
    accounts: names.filter((name) => name === plan.name).length,
  }));
}

/** Creates or replaces a plan. It is stored before it applies. */
export async function setPlan(
  { store, plans: book }: PlanDeps,
  figures: Omit<Plan, 'source'>,
): Promise<Plan> {
  const { name, requestsPerSecond, burst } = figures;
  await store.transaction(async (tx) => {
    await tx
      .insert(plans)
      .values({ name, requestsPerSecond, burst })
      .onConflictDoUpdate({ target: plans.name, set: { requestsPerSecond, burst } });
    await announce(tx, PLAN_CHANNEL);
  });
  const plan: Plan = { ...figures, source: 'store' };
  book.put(plan);
  return plan;
}

/**
 * Removes a plan that an operator wrote.
 *
 * @returns the specification's plan with that name, which applies again; undefined if there is none.
 * @throws ServiceError `planNotFound`; `planNotOverridden` when nothing was written; `planInUse` when accounts would have none.
 */
export async function removePlan({ store, plans: book }: PlanDeps, name: string): Promise<Plan | undefined> {
  const plan = findPlan(book, name);
  if (plan.source === 'spec') throw serviceError('planNotOverridden', { name });
  await store.transaction(async (tx) => {
    const [held] = await tx.select({ value: count() }).from(accounts).where(eq(accounts.plan, name));
    if (!SPEC_PLANS.has(name) && held !== undefined && held.value > 0)
      throw serviceError('planInUse', { name, value: held.value });
    await tx.delete(plans).where(eq(plans.name, name));
    await announce(tx, PLAN_CHANNEL);
  });
  book.drop(name);
  return book.find(name);
}

/**
 * Assigns a plan to an account; the development account is called `development`.
 *
 * @throws ServiceError `planNotFound`, `accountNotFound`.
 */
export async function assignPlan(
  { store, plans: book }: PlanDeps,
  { account, plan: planName }: { readonly account: string; readonly plan: string },
): Promise<Plan> {
  const plan = findPlan(book, planName);
  const row = await store.transaction(async (tx) => {
    const [changed] = await tx
      .update(accounts)
      .set({ plan: planName })
      .where(isCalled(account))
      .returning({ accountId: accounts.id, kind: accounts.kind });
    if (changed !== undefined) await announce(tx, PLAN_CHANNEL, changed.accountId);
    return changed;
  });
  if (row === undefined) throw serviceError('accountNotFound', { name: account });
  book.hold({ ...row, plan: planName });
  return plan;
}

function findPlan(book: PlanBook, name: string): Plan {
  const plan = book.find(name);
  if (plan !== undefined) return plan;
  const known = book
    .list()
    .map((one) => one.name)
    .join(', ');
  throw serviceError('planNotFound', { name, known });
}
