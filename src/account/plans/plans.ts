import { count, eq } from '../../store/drizzle.ts';
import { serviceError, type ServiceError } from '../../core/service-error.ts';
import type { Store } from '../../store/open-store.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { accounts, plans } from '../../store/tables.ts';
import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { announce } from '../../store/follow-store.ts';
import { DEFAULT_PLAN_NAMES, type Plan, SPEC_PLANS } from './plan.ts';
import { PlanBook, type PlanHolder } from './plan-book.ts';

/** The store that keeps plans, and the book that answers for it. */
export type PlanDeps = {
  readonly store: Store;
  readonly plans: PlanBook;
  /** Records a change, with the id of the account or the name of the plan, in the transaction that makes it. */
  readonly record?: RecordChange | undefined;
};

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
  { store, plans: book, record }: PlanDeps,
  figures: Omit<Plan, 'source'>,
): Promise<Plan> {
  const { name, requestsPerSecond, burst } = figures;
  await store.transaction(async (tx) => {
    await tx
      .insert(plans)
      .values({ name, requestsPerSecond, burst })
      .onConflictDoUpdate({ target: plans.name, set: { requestsPerSecond, burst } });
    await announce(tx, PLAN_CHANNEL);
    await record?.(tx, name);
  });
  const plan: Plan = { ...figures, source: 'store' };
  book.put(plan);
  return plan;
}

/**
 * Removes a plan that an operator wrote.
 *
 * @returns the specification's plan with that name, which applies again; undefined if it has no such plan.
 * @throws ServiceError `planNotFound`; `planNotOverridden` when nothing was written; `planInUse` when accounts would have none.
 */
export async function removePlan(
  { store, plans: book, record }: PlanDeps,
  name: string,
): Promise<Plan | undefined> {
  const plan = findPlan(book, name);
  if (plan.source === 'spec') throw serviceError('planNotOverridden', { name });
  await store.transaction(async (tx) => {
    const [held] = await tx.select({ value: count() }).from(accounts).where(eq(accounts.plan, name));
    if (!SPEC_PLANS.has(name) && held !== undefined && held.value > 0)
      throw serviceError('planInUse', { name, value: held.value });
    const removed = await tx.delete(plans).where(eq(plans.name, name)).returning({ name: plans.name });
    if (removed.length === 0) throw alreadyRemoved(book, name);
    await announce(tx, PLAN_CHANNEL);
    await record?.(tx, name);
  });
  book.drop(name);
  return book.find(name);
}

/** Assigns a plan to the account with an id. @throws ServiceError `planNotFound`, `accountNotFound`. */
export async function setAccountPlan(
  { store, plans: book, record }: PlanDeps,
  accountId: string,
  planName: string,
): Promise<Plan> {
  const plan = findPlan(book, planName);
  const holder = await store.transaction(async (tx) => {
    const written = await writeAccountPlan(tx, accountId, planName);
    await record?.(tx, accountId);
    return written;
  });
  book.hold(holder);
  return plan;
}

/** Writes the plan of an account; it applies once the transaction has committed and the book holds it. @throws ServiceError `accountNotFound`. */
export async function writeAccountPlan(
  tx: StoreTransaction,
  accountId: string,
  plan: string,
): Promise<PlanHolder> {
  const [changed] = await tx
    .update(accounts)
    .set({ plan })
    .where(eq(accounts.id, accountId))
    .returning({ kind: accounts.kind });
  if (changed === undefined) throw serviceError('accountNotFound', { name: accountId });
  await announce(tx, PLAN_CHANNEL, accountId);
  return { accountId, kind: changed.kind, plan };
}

/** Returns the plan with a name. @throws ServiceError `planNotFound`. */
export function findPlan(book: PlanBook, name: string): Plan {
  const plan = book.find(name);
  if (plan === undefined) throw planNotFound(book, name);
  return plan;
}

/** The error for a plan that another request, here or at another gateway, has removed since the book was read. */
function alreadyRemoved(book: PlanBook, name: string): ServiceError {
  return SPEC_PLANS.has(name) ? serviceError('planNotOverridden', { name }) : planNotFound(book, name);
}

function planNotFound(book: PlanBook, name: string): ServiceError {
  const others = book.list().filter((one) => one.name !== name);
  return serviceError('planNotFound', { name, known: others.map((one) => one.name).join(', ') });
}
