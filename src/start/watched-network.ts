import type { ServedNetwork } from '../account-api/account-context.ts';
import type { WatchedNetwork } from '../account-api/service-deps.ts';
import type { Network } from './start-network.ts';

/** Returns a network as the account service shows it: with its state. */
export function watchedNetwork(network: Network): WatchedNetwork {
  const { label, rpcPath, probe, nodes, pace, drift } = network;
  const { name, environment } = network.config;
  return {
    ...{ name, environment, label, rpcPath, probe, statuses: nodes.statuses, drift },
    pace: () => pace.standing(),
    newestSlot: () => {
      const slots = nodes.statuses().flatMap(({ slot }) => slot ?? []);
      const newest = Math.max(pace.newestSlot ?? -1, ...slots);
      return newest < 0 ? undefined : newest;
    },
  };
}

/** Returns a network as sessions show it: where it is served. */
export function servedNetwork({ rpcPath, config: { name, environment } }: Network): ServedNetwork {
  return { name, environment, rpcPath };
}
