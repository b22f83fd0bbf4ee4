import { count, eq } from '../store/drizzle.ts';
import { serviceError } from '../base/service-error.ts';
import type { Store } from '../store/open-store.ts';
import { accounts, plans } from '../store/tables.ts';
import { isCalled } from './accounts.ts';
import { announce } from './follow-store.ts';
import { DEFAULT_PLAN_NAMES, type Plan, SPEC_PLANS } from './plan.ts';
import { PlanBook } from './plan-book.ts';

/** Where plans are kept: the store, and the book that answers for it. */
export type PlanPlaces = { readonly store: Store; readonly plans: PlanBook };

/** A plan as it is listed. */
export type ListedPlan = Plan & { readonly isDefault: boolean; readonly accounts: number };

/** What processes that follow the plans of a store are told on: the id of an account that was given one, or nothing for the plans. */
export const PLAN_CHANNEL = 'keyslot_plans';

/** The plans of the store, and which account has which. */
export async function loadPlanBook(store: Store): Promise<PlanBook> {
  const book = new PlanBook();
  await readPlans(store, book);
  return book;
}

/** Reads plans and who has which into a book: all, or what one account has. */
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

/** All plans by name, with the number of accounts that have each. */
export async function listPlans({ store, plans: book }: PlanPlaces): Promise<readonly ListedPlan[]> {
  const rows = await store.db.select({ accountId: accounts.id }).from(accounts);
  const names = rows.map(({ accountId }) => book.planOf(accountId).name);
  return book.list().map((plan) => ({
    ...plan,
    isDefault: plan.name === DEFAULT_PLAN_NAMES.customer,
    accounts: names.filter((name) => name === plan.name).length,
  }));
}

/** Writes a plan, a new one or in the place of another one. It is stored before it holds. */
export async function setPlan(
  { store, plans: book }: PlanPlaces,
  figures: Omit<Plan, 'source'>,
): Promise<Plan> {
  const { name, requestsPerSecond, burst } = figures;
  await store.db.transaction(async (tx) => {
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
 * Removes what an operator wrote.
 *
 * @returns the specification's plan of that name, which holds again; undefined if it has none.
 * @throws ServiceError `planNotFound`; `planNotOverridden` when nothing was written; `planInUse` when accounts would have none.
 */
export async function removePlan(
  { store, plans: book }: PlanPlaces,
  name: string,
): Promise<Plan | undefined> {
  const plan = findPlan(book, name);
  if (plan.source === 'spec') throw serviceError('planNotOverridden', { name });
  await store.db.transaction(async (tx) => {
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
 * Gives an account a plan; the development account is called `development`.
 *
 * @throws ServiceError `planNotFound`, `accountNotFound`.
 */
export async function assignPlan(
  { store, plans: book }: PlanPlaces,
  { account, plan: planName }: { readonly account: string; readonly plan: string },
): Promise<Plan> {
  const plan = findPlan(book, planName);
  const row = await store.db.transaction(async (tx) => {
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
