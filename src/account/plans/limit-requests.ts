import { randomUUID } from 'node:crypto';
import type { ListPosition } from '../../core/read-page.ts';
import { serviceError } from '../../core/service-error.ts';
import { limitRequests } from '../../store/access-tables.ts';
import { and, count, desc, eq, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import type { RecordChange } from '../identity/api-keys/api-keys.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import type { PlanBook } from './plan-book.ts';
import { findPlan } from './plans.ts';

/** A request of an account for a higher limit. */
export type LimitRequest = typeof limitRequests.$inferSelect;

/** A request with the name of its account. */
export type NamedLimitRequest = LimitRequest & { readonly account: string };

/** The requested limit. `wanted`: the name of a plan, or the requests in a window. */
export type WantedLimit = Pick<LimitRequest, 'accountId' | 'kind' | 'wanted' | 'reason'>;

export type LimitRequestDeps = {
  readonly store: Store;
  readonly plans: PlanBook;
  /** Records a change of a request, with its id, in the transaction that makes it. */
  readonly record?: RecordChange | undefined;
};

type Page = { readonly after: ListPosition | undefined; readonly limit: number };

/** Maximum number of open requests of an account. */
export const MAX_OPEN_REQUESTS = 10;

const { id, accountId: owner, state, createdAt } = limitRequests;

/**
 * Stores a request for a higher limit.
 *
 * @throws ServiceError `planNotFound`; `bodyInvalid` for a figure that no limit can have; `limitRequestsTooMany`.
 */
export async function requestLimit(
  { store, plans, record }: LimitRequestDeps,
  wanted: WantedLimit,
  nowMs: number,
): Promise<LimitRequest> {
  if (wanted.kind === 'plan') findPlan(plans, wanted.wanted);
  else if (!DECIMAL_LIMIT.isFit(wanted.wanted)) {
    const errors = [{ pointer: '/wanted', detail: DECIMAL_LIMIT.rule }];
    throw serviceError('bodyInvalid', { errors });
  }
  const { accountId, kind, reason } = wanted;
  const row: LimitRequest = {
    id: randomUUID(),
    accountId,
    kind,
    wanted: wanted.wanted,
    reason,
    state: 'open',
    answer: null,
    createdAt: new Date(nowMs),
    decidedAt: null,
  };
  await store.transaction(async (tx) => {
    // Requests of an account are counted one at a time.
    await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('update');
    const [open] = await tx
      .select({ value: count() })
      .from(limitRequests)
      .where(and(eq(owner, accountId), eq(state, 'open')));
    if ((open?.value ?? 0) >= MAX_OPEN_REQUESTS)
      throw serviceError('limitRequestsTooMany', { limit: MAX_OPEN_REQUESTS });
    await tx.insert(limitRequests).values(row);
    await record?.(tx, row.id);
  });
  return row;
}

/** Returns requests of an account after a position, newest first, including decided ones. */
export function readLimitRequests(
  store: Pick<Store, 'db'>,
  accountId: string,
  { after, limit }: Page,
): Promise<readonly LimitRequest[]> {
  return store.db
    .select()
    .from(limitRequests)
    .where(and(eq(owner, accountId), behind(after)))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}

/** Returns open requests of all accounts after a position, newest first. */
export async function readOpenLimitRequests(
  store: Pick<Store, 'db'>,
  { after, limit }: Page,
): Promise<readonly NamedLimitRequest[]> {
  const rows = await store.db
    .select({ request: limitRequests, account: accounts.name })
    .from(limitRequests)
    .innerJoin(accounts, eq(accounts.id, owner))
    .where(and(eq(state, 'open'), behind(after)))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
  return rows.map(({ request, account }) => ({ ...request, account: account ?? DEVELOPMENT }));
}

function behind(after: ListPosition | undefined) {
  return after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`;
}

/** Maximum number of requests in a window that a limit of the wallet service may allow. */
export const MAX_REQUESTS = 1_000_000;

/** Texts of a limit of the wallet service. */
export const DECIMAL_LIMIT = {
  isFit: (text: string): boolean => /^[1-9]\d{0,6}$/.test(text) && Number(text) <= MAX_REQUESTS,
  rule: `must be a whole number from 1 to ${MAX_REQUESTS}`,
} as const;
