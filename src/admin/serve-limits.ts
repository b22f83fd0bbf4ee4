import { PLANS } from '../../generated/plans.ts';
import { findAccount } from '../account/find-account.ts';
import type { PlanBook } from '../account/plan-book.ts';
import { type CreateLimitBook, setCreateLimit } from '../account/wallet-create-limit.ts';
import { setUseLimit, type UseLimitBook } from '../account/wallet-use-limit.ts';
import { walletCreateLimits, walletUseLimits } from '../store/access-tables.ts';
import { eq } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import type { LimitRequest } from './limit-request.ts';

export type LimitDeps = {
  readonly store: Store;
  readonly plans: Pick<PlanBook, 'planOf'>;
  readonly limits: CreateLimitBook;
  readonly useLimits: UseLimitBook;
};

/**
 * Sets or shows how often an account may call the wallet service. A limit that is shown has its `source`: `store` where it is set for
 * the account, else `spec` or `plan`.
 *
 * @throws ServiceError `accountNotFound`.
 */
export async function serveLimits(deps: LimitDeps, request: LimitRequest): Promise<unknown> {
  const { account } = request;
  const accountId = await findAccount(deps.store, account);
  switch (request.kind) {
    case 'wallet-limit': {
      const { requests, windowSeconds } = await setCreateLimit(deps, accountId, request.requests);
      return { account, requests, window_seconds: windowSeconds };
    }
    case 'wallet-use-limit': {
      const { requests, windowSeconds } = await setUseLimit(deps, accountId, request.requests);
      return { account, requests, window_seconds: windowSeconds };
    }
    case 'wallet-limit.show':
      return { account, ...(await readCreateLimit(deps, accountId)) };
    case 'wallet-use-limit.show':
      return { account, ...(await readUseLimit(deps, accountId)) };
  }
}

async function readCreateLimit({ store: { db } }: LimitDeps, accountId: string) {
  const { accountId: owner, requests } = walletCreateLimits;
  const [own] = await db.select({ requests }).from(walletCreateLimits).where(eq(owner, accountId));
  const { requests: standard, window_seconds } = PLANS.wallet_create_limit;
  return {
    requests: own?.requests ?? standard,
    window_seconds,
    source: own === undefined ? 'spec' : 'store',
  };
}

async function readUseLimit({ store: { db }, plans }: LimitDeps, accountId: string) {
  const { accountId: owner, requests } = walletUseLimits;
  const [own] = await db.select({ requests }).from(walletUseLimits).where(eq(owner, accountId));
  const { window_seconds } = PLANS.wallet_use_limit;
  const ofPlan = plans.planOf(accountId).requestsPerSecond * window_seconds;
  return { requests: own?.requests ?? ofPlan, window_seconds, source: own === undefined ? 'plan' : 'store' };
}
