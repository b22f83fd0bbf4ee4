import type { LedgerNode, NetworkNodes } from '../../../../generated/account/types.ts';
import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { NodeStatus } from '../../../gateway/nodes/pool/node-status.ts';
import type { AccountContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import type { WatchedNetwork } from '../service-deps.ts';
import { toNetworkView } from '../network-view.ts';

/** `GET /account/v1/operator/nodes`: the nodes as this process sees them. Their names contain no secret of their addresses. */
export const listNodes: AccountHandler<AccountContext, 'listNodes'> = async (context) => {
  await recordRead(context, 'listnodes');
  return { kind: 'json', body: { networks: await Promise.all(context.watchedNetworks.map(showNodes)) } };
};

async function showNodes(network: WatchedNetwork): Promise<NetworkNodes> {
  const { source } = network.pace();
  const newestSlot = network.newestSlot();
  const { slot: from } = network.consensus();
  return {
    ...(await toNetworkView(network)),
    ...(from === null ? {} : { alpenglow_from: from }),
    ...(source === null ? {} : { slot_ms_from: source }),
    ...(newestSlot === undefined ? {} : { newest_slot: newestSlot }),
    nodes: network.statuses().map(showNode),
    beyond_specification: network.drift.snapshot().map(({ node, kind, name, count, firstSeenMs }) => ({
      node,
      kind,
      name,
      count,
      first_seen: new Date(firstSeenMs).toISOString(),
    })),
    unknown_methods: network.drift.unknownMethods().map(({ name, count, firstSeenMs }) => ({
      name,
      count,
      first_seen: new Date(firstSeenMs).toISOString(),
    })),
  };
}

function showNode(status: NodeStatus): LedgerNode {
  const { name, version, featureSet, isOrdered, isReachable, standing, reasons, isStale, roles, weight } =
    status;
  const { slot, lagSlots, lagMs, firstSlot } = status;
  return {
    name,
    is_reachable: isReachable,
    is_ordered: isOrdered,
    standing,
    weight,
    lag_slots: lagSlots,
    reasons: [...reasons],
    roles: [...roles],
    is_stale: isStale,
    ...(slot === null ? {} : { slot }),
    ...(lagMs === null ? {} : { lag_ms: lagMs }),
    ...(firstSlot === null ? {} : { first_slot: firstSlot }),
    ...(version === null ? {} : { version }),
    ...(featureSet === null ? {} : { feature_set: featureSet }),
  };
}
