import { PLANS } from '../../generated/plans.ts';
import { walletCreateLimits, walletUseLimits } from '../store/access-tables.ts';
import { eq } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import type { PlanBook } from './plan-book.ts';

/** How often an account may call the wallet service. `source`: `store` where it is set for the account, else `spec` or `plan`. */
export type ShownLimit<S extends string> = {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly source: 'store' | S;
};

/** Reads the limit of an account for creating wallets. */
export async function readCreateLimit(
  { db }: Pick<Store, 'db'>,
  accountId: string,
): Promise<ShownLimit<'spec'>> {
  const { accountId: owner, requests } = walletCreateLimits;
  const [own] = await db.select({ requests }).from(walletCreateLimits).where(eq(owner, accountId));
  const { requests: standard, window_seconds: windowSeconds } = PLANS.wallet_create_limit;
  const source = own === undefined ? 'spec' : 'store';
  return { requests: own?.requests ?? standard, windowSeconds, source };
}

/** Reads the limit of an account for fetching, signing with and destroying wallets. */
export async function readUseLimit(
  { db }: Pick<Store, 'db'>,
  plans: Pick<PlanBook, 'planOf'>,
  accountId: string,
): Promise<ShownLimit<'plan'>> {
  const { accountId: owner, requests } = walletUseLimits;
  const [own] = await db.select({ requests }).from(walletUseLimits).where(eq(owner, accountId));
  const { window_seconds: windowSeconds } = PLANS.wallet_use_limit;
  const ofPlan = plans.planOf(accountId).requestsPerSecond * windowSeconds;
  const source = own === undefined ? 'plan' : 'store';
  return { requests: own?.requests ?? ofPlan, windowSeconds, source };
}
