import type { Config } from '../../generated/config.ts';
import type { Store } from '../store/open-store.ts';
import { purgeDeliveries } from './deliveries.ts';

const DAY_MS = 86_400_000;

/** Deletes a bounded number of settled deliveries that are older than the settings keep them. @returns true if there may be more. */
export async function retainDeliveries(
  store: Pick<Store, 'db'>,
  settings: Pick<Config['webhooks'], 'retention_days' | 'ledger_retention_days'>,
  nowMs: number,
): Promise<boolean> {
  const { retention_days: days, ledger_retention_days: ledgerDays } = settings;
  const hasMore = await purgeDeliveries(store, nowMs - ledgerDays * DAY_MS, true);
  return (await purgeDeliveries(store, nowMs - days * DAY_MS)) || hasMore;
}
