import type { NetworkDrift } from '../../gateway/ledger/drift/network-drift.ts';
import { showConsensus, showNode, showSlotMs } from '../../gateway/nodes/network/show-node.ts';
import type { Consensus } from '../../gateway/nodes/pool/consensus.ts';
import type { NodeStatus } from '../../gateway/nodes/pool/node-status.ts';
import type { PaceState } from '../../gateway/nodes/network/pace.ts';

/** A network as `keyslot nodes` shows it. */
export type ShownNetwork = {
  readonly label: string;
  readonly statuses: () => readonly NodeStatus[];
  readonly consensus: () => Consensus;
  readonly pace: () => PaceState;
  readonly drift: Pick<NetworkDrift, 'snapshot' | 'unknownMethods'>;
};

/** Shows the nodes of every network, as `--json` prints them. */
export function showNodes(networks: readonly ShownNetwork[]): unknown {
  return {
    networks: networks.map(({ label, statuses, consensus, pace, drift }) => {
      const { slotMs, source } = pace();
      return {
        network: label,
        slot_ms: showSlotMs(slotMs),
        slot_ms_from: source,
        ...showConsensus(consensus()),
        nodes: statuses().map(showNode),
        beyond_specification: drift.snapshot().map(({ node, kind, name, count, firstSeenMs }) => ({
          node,
          kind,
          name,
          count,
          first_seen: new Date(firstSeenMs),
        })),
        unknown_methods: drift
          .unknownMethods()
          .map(({ name, count, firstSeenMs }) => ({ name, count, first_seen: new Date(firstSeenMs) })),
      };
    }),
  };
}
