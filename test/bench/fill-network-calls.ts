import { randomUUID } from 'node:crypto';
import {
  addNetworkCalls,
  CALLS_KEPT_DAYS,
  type NetworkCallsRow,
} from '../../src/account/usage/network-calls-store.ts';
import type { Store } from '../../src/store/open-store.ts';

/** The networks whose calls are on record. */
export const NETWORKS = ['solana-mainnet', 'solana-devnet', 'solana-testnet'] as const;

const FIVE_MINUTES_MS = 300_000;
const DAY_MS = 86_400_000;
const BUCKETS = 15;

/** Fills the record of the calls of three networks, of as many days as it is kept, as three processes would have. */
export async function fillNetworkCalls(store: Store, nowMs: number): Promise<void> {
  const writerId = randomUUID();
  for (let day = 1; day <= CALLS_KEPT_DAYS; day += 1) {
    const fromMs = Math.floor((nowMs - day * DAY_MS) / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;
    const rows = Array.from({ length: DAY_MS / FIVE_MINUTES_MS }, (_, index) =>
      rowsOf(fromMs + index * FIVE_MINUTES_MS),
    ).flat();
    await addNetworkCalls(store, { writerId, number: day, rows }, nowMs);
  }
}

/** Returns the calls that each network had in five minutes. */
export function rowsOf(startMs: number): readonly NetworkCallsRow[] {
  return NETWORKS.map((network, at) => ({
    network,
    startMs,
    calls: 120 * (at + 1),
    errors: at,
    durations: Array.from({ length: BUCKETS }, (_, bucket) => (bucket < 12 ? 10 * (at + 1) : 0)),
  }));
}
