import type { NetworkState } from '../../generated/account/types.ts';
import type { WatchedNetwork } from './service-deps.ts';

/** What customers and operators see of a network. */
export type ShownNetwork = {
  readonly name: string;
  readonly environment: string;
  readonly state: NetworkState;
  readonly slot_ms?: number;
};

/** Returns a network, whose nodes are asked for their health at most once a second. */
export async function showNetwork({ name, environment, probe, pace }: WatchedNetwork): Promise<ShownNetwork> {
  const { slotMs } = pace();
  return {
    ...{ name, environment, state: stateOf(await probe()) },
    ...(slotMs === null ? {} : { slot_ms: Math.round(slotMs) }),
  };
}

function stateOf(probed: string): NetworkState {
  return probed === 'ready' || probed === 'unhealthy' ? probed : 'unavailable';
}
