import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { Network, SpanCalls } from '../../../../generated/account/types.ts';
import type { AccountContext } from '../account-context.ts';
import { readCallSpans } from '../read-call-spans.ts';
import type { WatchedNetwork } from '../service-deps.ts';
import { toNetworkView } from '../network-view.ts';

/** `GET /account/v1/networks`: the state of each network, and its calls, with those of this process that are not stored yet. */
export const listNetworks: AccountHandler<AccountContext, 'listNetworks'> = async (context) => {
  const { watchedNetworks, flushUsage, flushCalls } = context;
  await Promise.all([flushUsage(), flushCalls()]);
  const labels = watchedNetworks.map(({ label }) => label);
  const spans = await readCallSpans(context, labels);
  const shown = watchedNetworks.map((network) => show(network, spans.get(network.label) ?? []));
  return { kind: 'json', body: { networks: await Promise.all(shown) } };
};

async function show(network: WatchedNetwork, spans: readonly SpanCalls[]): Promise<Network> {
  const statuses = network.statuses();
  return {
    ...(await toNetworkView(network)),
    rpc_path: network.rpcPath,
    nodes: statuses.length,
    reachable_nodes: statuses.filter(({ isReachable }) => isReachable).length,
    versions: [...new Set(statuses.flatMap(({ version }) => version ?? []))],
    spans: [...spans],
  };
}
