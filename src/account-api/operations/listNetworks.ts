import type { Network } from '../../../generated/account/types.ts';
import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { type OwnCalls, readOwnCalls } from '../../account/read-own-calls.ts';
import type { AccountContext } from '../account-context.ts';
import type { WatchedNetwork } from '../service-deps.ts';
import { showNetwork } from '../show-network.ts';

const OWN_SECONDS = 300;
const NO_CALLS: OwnCalls = { calls: 0, errors: 0, refused: 0 };

/** `GET /account/v1/networks`: the state of each network, and its calls of the last minutes. */
export const listNetworks: AccountHandler<AccountContext, 'listNetworks'> = async (context) => {
  const { store, caller, clock, watchedNetworks } = context;
  const own = await readOwnCalls(store, caller.accountId, clock.nowMs() - OWN_SECONDS * 1_000);
  const shown = watchedNetworks.map((network) => show(network, own.get(network.label) ?? NO_CALLS));
  return { kind: 'json', body: { networks: await Promise.all(shown) } };
};

async function show(network: WatchedNetwork, { calls, errors, refused }: OwnCalls): Promise<Network> {
  const statuses = network.statuses();
  const { p99Ms, ...recent } = network.recent();
  return {
    ...(await showNetwork(network)),
    ...{ rpc_path: network.rpcPath, nodes: statuses.length },
    reachable_nodes: statuses.filter(({ isReachable }) => isReachable).length,
    versions: [...new Set(statuses.flatMap(({ version }) => version ?? []))],
    recent: { ...recent, ...(p99Ms === undefined ? {} : { p99_ms: p99Ms }) },
    own: { seconds: OWN_SECONDS, calls, errors, refused },
  };
}
