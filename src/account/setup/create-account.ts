import { randomUUID } from 'node:crypto';
import { serviceError } from '../../core/service-error.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { announce } from '../../store/follow-store.ts';
import type { PlanBook } from '../plans/plan-book.ts';
import { findPlan, PLAN_CHANNEL } from '../plans/plans.ts';

/** An account to create. */
export type NewAccount = {
  readonly name: string;
  /** Undefined: the default plan. */
  readonly plan: string | undefined;
};

/**
 * Creates a customer account.
 *
 * @param record records it, in the transaction that makes it.
 * @returns its id.
 * @throws ServiceError `accountNameTaken`, `planNotFound`.
 */
export async function createAccount(
  {
    store,
    plans,
    record,
  }: {
    readonly store: Store;
    readonly plans: PlanBook;
    readonly record?: RecordChange | undefined;
  },
  { name, plan }: NewAccount,
  nowMs: number,
): Promise<string> {
  if (plan !== undefined) findPlan(plans, plan);
  if (name === DEVELOPMENT) throw serviceError('accountNameTaken', { name });
  const row = {
    id: randomUUID(),
    kind: 'customer' as const,
    name,
    plan: plan ?? null,
    createdAt: new Date(nowMs),
  };
  await store.transaction(async (tx) => {
    const made = await tx.insert(accounts).values(row).onConflictDoNothing().returning({ id: accounts.id });
    if (made.length === 0) throw serviceError('accountNameTaken', { name });
    await announce(tx, PLAN_CHANNEL, row.id);
    await record?.(tx, row.id);
  });
  plans.hold({ accountId: row.id, kind: row.kind, plan: row.plan });
  return row.id;
}
