import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodeStatus } from '../upstream/nodes/node-watch.ts';
import type { Pace } from '../upstream/nodes/pace.ts';

/** The values of a network that are read at each scrape. */
export type WatchedNodes = {
  readonly statuses: () => readonly NodeStatus[];
  readonly pace: Pick<Pace, 'slotMs'>;
};

export type NodeMetrics = {
  readonly watch: (network: string, nodes: WatchedNodes) => void;
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
  const unordered = new Counter({
    name: 'keyslot_unordered_members_total',
    help: 'Members that only newer nodes know, sent to a node whose version cannot be ordered',
    labelNames: ['network', 'method', 'member'],
    registers,
  });
  return {
    watch: (network, nodes) => void networks.set(network, nodes),
    countUnordered: (network, method, member) => unordered.inc({ network, method, member }),
  };
}
