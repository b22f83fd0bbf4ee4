import { Counter, Gauge, type Registry } from 'prom-client';
import type { Consensus } from '../pool/consensus.ts';
import type { NodeStatus } from '../pool/node-status.ts';
import type { Pace } from './pace.ts';

/** The values of a network that are read at each scrape. */
export type WatchedNodes = {
  readonly statuses: () => readonly NodeStatus[];
  readonly consensus: () => Consensus;
  readonly pace: Pick<Pace, 'slotMs'>;
};

export type NodeMetrics = {
  readonly watch: (network: string, nodes: WatchedNodes) => void;
  /** Counts a read that was sent to another node too. */
  readonly countFailover: (network: string, node: string, reason: string) => void;
  /** Counts a member of params that was sent to a node that may not support it. */
  readonly countUnordered: (network: string, method: string, member: string) => void;
};

/** Adds the metrics of the nodes behind each network, and of its slot time. */
export function createNodeMetrics(registry: Registry): NodeMetrics {
  const registers = [registry];
  const networks = new Map<string, WatchedNodes>();
  new Gauge({
    name: 'keyslot_node_info',
    help: 'Version and feature set that a ledger node reports; ordered: whether the gateway relies on the version',
    labelNames: ['network', 'node', 'version', 'feature_set', 'ordered'],
    registers,
    collect() {
      this.reset();
      for (const [network, { statuses }] of networks)
        for (const { name, version, featureSet, isOrdered } of statuses()) {
          const reported = { version: version ?? '', feature_set: String(featureSet ?? '') };
          this.set({ network, node: name, ...reported, ordered: String(isOrdered) }, 1);
        }
    },
  });
  new Gauge({
    name: 'keyslot_slot_seconds',
    help: 'How long a slot of the network takes, as measured',
    labelNames: ['network'],
    registers,
    collect() {
      this.reset();
      for (const [network, { pace }] of networks)
        if (pace.slotMs !== undefined) this.set({ network }, pace.slotMs / 1_000);
    },
  });
  new Gauge({
    name: 'keyslot_network_consensus',
    help: 'The consensus of the network as its nodes report it: alpenglow, tower or unknown',
    labelNames: ['network', 'consensus'],
    registers,
    collect() {
      this.reset();
      for (const [network, { consensus }] of networks) this.set({ network, consensus: consensus().kind }, 1);
    },
  });
  const health = (name: string, help: string, read: (status: NodeStatus) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['network', 'node'],
      registers,
      collect() {
        this.reset();
        for (const [network, { statuses }] of networks)
          for (const status of statuses()) {
            const value = read(status);
            if (value !== null) this.set({ network, node: status.name }, value);
          }
      },
    });
  health(
    'keyslot_node_healthy',
    '1 if calls are sent to the ledger node, 0 if only in need or never',
    (status) => Number(status.standing === 'healthy'),
  );
  health(
    'keyslot_node_stale',
    '1 if the ledger node answers, but its slot stands still or falls behind its own shreds',
    ({ isStale }) => Number(isStale),
  );
  health('keyslot_node_lag_slots', 'Slots that the node is behind the best node of its network', (status) =>
    status.slot === null ? null : status.lagSlots,
  );
  const failovers = new Counter({
    name: 'keyslot_node_failovers_total',
    help: 'Reads that were sent to another node too, by the node that was asked before and the reason',
    labelNames: ['network', 'node', 'reason'],
    registers,
  });
  const unordered = new Counter({
    name: 'keyslot_unordered_members_total',
    help: 'Members that only newer nodes know, sent to a node whose version cannot be ordered',
    labelNames: ['network', 'method', 'member'],
    registers,
  });
  return {
    countFailover: (network, node, reason) => failovers.inc({ network, node, reason }),
    watch: (network, nodes) => void networks.set(network, nodes),
    countUnordered: (network, method, member) => unordered.inc({ network, method, member }),
  };
}
