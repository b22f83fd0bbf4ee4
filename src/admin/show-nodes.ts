import type { NetworkDrift } from '../ledger/drift/network-drift.ts';
import { showNode, showSlotMs } from '../upstream/nodes/show-node.ts';
import type { NodeStatus } from '../upstream/pool/node-status.ts';
import type { PaceState } from '../upstream/nodes/pace.ts';

/** A network as `keyslot nodes` shows it. */
export type ShownNetwork = {
  readonly label: string;
  readonly statuses: () => readonly NodeStatus[];
  readonly pace: () => PaceState;
  readonly drift: Pick<NetworkDrift, 'snapshot' | 'unknownMethods'>;
};

/** Shows the nodes of every network, as `--json` prints them. */
export function showNodes(networks: readonly ShownNetwork[]): unknown {
  return {
    networks: networks.map(({ label, statuses, pace, drift }) => {
      const { slotMs, source } = pace();
      return {
        network: label,
        slot_ms: showSlotMs(slotMs),
        slot_ms_from: source,
        nodes: statuses().map(showNode),
        beyond_specification: drift.snapshot().map(({ node, kind, name, count, firstSeenMs }) => ({
          ...{ node, kind, name, count, first_seen: new Date(firstSeenMs) },
        })),
        unknown_methods: drift
          .unknownMethods()
          .map(({ name, count, firstSeenMs }) => ({ name, count, first_seen: new Date(firstSeenMs) })),
      };
    }),
  };
}
