import { PLANS } from '../../../generated/plans.ts';
import { walletCreateLimits, walletUseLimits } from '../../store/access-tables.ts';
import { eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import type { PlanBook } from './plan-book.ts';

/** The rate limit of an account in the wallet service. `source`: `store` if it is set for the account, else `spec` or `plan`. */
export type WalletLimit = {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly source: 'spec' | 'plan' | 'store';
};

/** Reads the rate limit of an account for the endpoints that create wallets. */
export async function readCreateLimit({ db }: Pick<Store, 'db'>, accountId: string): Promise<WalletLimit> {
  const { accountId: owner, requests } = walletCreateLimits;
  const [own] = await db.select({ requests }).from(walletCreateLimits).where(eq(owner, accountId));
  const { requests: standard, window_seconds: windowSeconds } = PLANS.wallet_create_limit;
  return { requests: own?.requests ?? standard, windowSeconds, source: own === undefined ? 'spec' : 'store' };
}

/** Reads the rate limit of an account for fetching, signing with and destroying wallets. */
export async function readUseLimit(
  { store: { db }, plans }: { readonly store: Pick<Store, 'db'>; readonly plans: Pick<PlanBook, 'planOf'> },
  accountId: string,
): Promise<WalletLimit> {
  const { accountId: owner, requests } = walletUseLimits;
  const [own] = await db.select({ requests }).from(walletUseLimits).where(eq(owner, accountId));
  const { window_seconds: windowSeconds } = PLANS.wallet_use_limit;
  const ofPlan = plans.planOf(accountId).requestsPerSecond * windowSeconds;
  return { requests: own?.requests ?? ofPlan, windowSeconds, source: own === undefined ? 'plan' : 'store' };
}
