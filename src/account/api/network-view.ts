import type { NetworkConsensus, NetworkState } from '../../../generated/account/types.ts';
import type { WatchedNetwork } from './service-deps.ts';

/** The state of a network, as customers and operators see it. */
export type ShownNetwork = {
  readonly name: string;
  readonly environment: string;
  readonly state: NetworkState;
  readonly consensus: NetworkConsensus;
  readonly slot_ms?: number;
};

/** Returns a network, whose nodes are asked for their health at most once a second. */
export async function toNetworkView({
  name,
  environment,
  probe,
  consensus,
  pace,
}: WatchedNetwork): Promise<ShownNetwork> {
  const { slotMs } = pace();
  return {
    name,
    environment,
    state: stateOf(await probe()),
    consensus: consensus().kind,
    ...(slotMs === null ? {} : { slot_ms: Math.round(slotMs) }),
  };
}

function stateOf(probed: string): NetworkState {
  return probed === 'ready' || probed === 'unhealthy' ? probed : 'unavailable';
}
