import { serviceError } from '../../core/service-error.ts';
import { limitRequests } from '../../store/access-tables.ts';
import { and, eq } from '../../store/drizzle.ts';
import { accounts } from '../../store/tables.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import type { LimitRequest, LimitRequestDeps, NamedLimitRequest } from './limit-requests.ts';
import { findPlan, writeAccountPlan } from './plans.ts';
import { type CreateLimitBook, writeCreateLimit } from './wallet-create-limit.ts';
import { type UseLimitBook, writeUseLimit } from './wallet-use-limit.ts';

/** Records a decision: in the audit log of the account, and of the operator. The last step of its transaction. */
export type RecordDecision = (
  tx: StoreTransaction,
  request: Pick<LimitRequest, 'id' | 'accountId'>,
) => Promise<void>;

export type DecisionDeps = Omit<LimitRequestDeps, 'record'> & {
  readonly record: RecordDecision;
  readonly limits: CreateLimitBook;
  readonly useLimits: UseLimitBook;
};

type Decision = Pick<LimitRequest, 'answer'> & {
  readonly state: Exclude<LimitRequest['state'], 'open'>;
  /** Only a request of this account. */
  readonly accountId?: string;
};

/**
 * Withdraws an open request of an account.
 *
 * @throws ServiceError `limitRequestNotFound`, also for one of another account; `limitRequestDecided`.
 */
export function withdrawLimitRequest(
  { store, record }: Pick<DecisionDeps, 'store' | 'record'>,
  { id, accountId }: Pick<LimitRequest, 'id' | 'accountId'>,
  nowMs: number,
): Promise<LimitRequest> {
  return store.transaction(async (tx) => {
    const request = await decide(tx, id, { state: 'withdrawn', answer: null, accountId }, nowMs);
    await record(tx, request);
    return request;
  });
}

/** Refuses an open request. @throws ServiceError `limitRequestNotFound`, `limitRequestDecided`. */
export function refuseLimitRequest(
  { store, record }: Pick<DecisionDeps, 'store' | 'record'>,
  { id, answer }: { readonly id: string; readonly answer: string },
  nowMs: number,
): Promise<NamedLimitRequest> {
  return store.transaction(async (tx) => {
    const request = await decide(tx, id, { state: 'refused', answer }, nowMs);
    await record(tx, request);
    return request;
  });
}

/**
 * Grants an open request: the limit is set in the same transaction, and applies from then on.
 *
 * @throws ServiceError `limitRequestNotFound`, `limitRequestDecided`; `planNotFound` when the plan was removed since.
 */
export async function grantLimitRequest(
  { store, plans, limits, useLimits, record }: DecisionDeps,
  id: string,
  nowMs: number,
): Promise<NamedLimitRequest> {
  const { request, apply } = await store.transaction(async (tx) => {
    const granted = await decide(tx, id, { state: 'granted', answer: null }, nowMs);
    const applies = await writeLimit(tx, granted);
    await record(tx, granted);
    return { request: granted, apply: applies };
  });
  apply();
  return request;

  /** @returns a function that makes the limit apply in this process. */
  async function writeLimit(
    tx: StoreTransaction,
    { kind, accountId, wanted }: LimitRequest,
  ): Promise<() => void> {
    switch (kind) {
      case 'plan': {
        findPlan(plans, wanted);
        const holder = await writeAccountPlan(tx, accountId, wanted);
        return () => plans.hold(holder);
      }
      case 'wallet_create':
        await writeCreateLimit(tx, accountId, Number(wanted));
        return () => limits.put(accountId, Number(wanted));
      case 'wallet_use':
        await writeUseLimit(tx, accountId, Number(wanted));
        return () => useLimits.put(accountId, Number(wanted));
    }
  }
}

/** One of several decisions at the same time changes the row; the others find it decided. */
async function decide(
  tx: StoreTransaction,
  id: string,
  { state, answer, accountId }: Decision,
  nowMs: number,
): Promise<NamedLimitRequest> {
  const isWanted = and(
    eq(limitRequests.id, id),
    accountId === undefined ? undefined : eq(limitRequests.accountId, accountId),
  );
  const [decided] = await tx
    .update(limitRequests)
    .set({ state, answer, decidedAt: new Date(nowMs) })
    .where(and(isWanted, eq(limitRequests.state, 'open')))
    .returning();
  if (decided === undefined) {
    const [found] = await tx.select({ state: limitRequests.state }).from(limitRequests).where(isWanted);
    if (found === undefined) throw serviceError('limitRequestNotFound', { id });
    throw serviceError('limitRequestDecided', { id, state: found.state });
  }
  const [owner] = await tx
    .select({ name: accounts.name })
    .from(accounts)
    .where(eq(accounts.id, decided.accountId));
  return { ...decided, account: owner?.name ?? DEVELOPMENT };
}
