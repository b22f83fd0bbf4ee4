import { findAccount } from '../account/find-account.ts';
import type { PlanBook } from '../account/plan-book.ts';
import { readCreateLimit, readUseLimit, type ShownLimit } from '../account/read-limits.ts';
import { type CreateLimitBook, setCreateLimit } from '../account/wallet-create-limit.ts';
import { setUseLimit, type UseLimitBook } from '../account/wallet-use-limit.ts';
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
      return { account, ...show(await readCreateLimit(deps.store, accountId)) };
    case 'wallet-use-limit.show':
      return { account, ...show(await readUseLimit(deps.store, deps.plans, accountId)) };
  }
}

function show<S extends string>({ windowSeconds, ...limit }: ShownLimit<S>) {
  return { ...limit, window_seconds: windowSeconds };
}
