import type { WatchedNetwork } from '../account-api/service-deps.ts';
import type { Metrics } from '../gate/metrics.ts';
import { RecentCallCounts } from '../gate/recent-calls.ts';
import type { Network } from './start-network.ts';

/** The networks as the account service shows them, and what stops counting their recent calls. */
export type WatchedNetworks = {
  readonly networks: readonly WatchedNetwork[];
  readonly close: () => void;
};

/** Counts the recent calls of networks until it is closed. */
export function watchNetworks(
  networks: readonly Network[],
  { calls }: Pick<Metrics, 'calls'>,
): WatchedNetworks {
  const recent = new RecentCallCounts({
    totals: (network) => calls.totals(network),
    networks: networks.map(({ label }) => label),
    nowMs: () => performance.now(),
  });
  return {
    networks: networks.map((network) => watched(network, recent)),
    close: () => recent.close(),
  };
}

function watched(
  { config, label, rpcPath, probe, nodes, pace, drift }: Network,
  recent: RecentCallCounts,
): WatchedNetwork {
  const { name, environment } = config;
  return {
    ...{ name, environment, label, rpcPath, probe, statuses: nodes.statuses, drift: drift.snapshot },
    pace: () => pace.standing(),
    newestSlot: () => pace.newestSlot,
    recent: () => recent.read(label),
  };
}
