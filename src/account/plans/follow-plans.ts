import type { Store } from '../../store/open-store.ts';
import { followStore } from '../../store/follow-store.ts';
import { PlanBook } from './plan-book.ts';
import { PLAN_CHANNEL, readPlans } from './plans.ts';

/** A book that is kept in step with the store, whichever process changes it. */
export type FollowedPlans = { readonly plans: PlanBook; readonly close: () => Promise<void> };

/** Reads the plans and their accounts, and follows changes by other processes, as `followKeys` does with keys. */
export async function followPlans(store: Store): Promise<FollowedPlans> {
  const plans = new PlanBook();
  const read = (accountId?: string): Promise<void> => readPlans(store, plans, accountId);
  const { close } = await followStore(store.listen, { channel: PLAN_CHANNEL, read });
  return { plans, close };
}
