import { Counter, Gauge, type Registry } from 'prom-client';
import type { SubscriptionCounts, SubscriptionMetrics } from './subscription-counts.ts';

/** Adds the metrics of subscriptions to a registry. @returns a function that gives those of a network. */
export function createSubscriptionMetrics(registry: Registry): (network: string) => SubscriptionMetrics {
  const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
    new Counter({ name, help, labelNames: ['network', ...labels] as const, registers: [registry] });
  const sent = counter('keyslot_ws_notifications_total', 'Notifications sent to clients', ['subscription']);
  const gaps = counter('keyslot_ws_gaps_total', 'Gaps that subscribers were sent of', ['subscription']);
  const drops = counter('keyslot_ws_dropped_total', 'Notifications of nodes that nobody was sent', [
    ...(['subscription', 'reason'] as const),
  ]);
  const pauses = counter(
    'keyslot_ws_pauses_total',
    'Subscriptions that were paused, since the results of all were too large for one connection to a node',
    ['subscription'],
  );
  const losses = counter('keyslot_upstream_ws_losses_total', 'WebSockets to nodes that were lost', [
    'reason',
  ]);
  const reads = new Map<string, () => SubscriptionCounts>();
  watchCounts(registry, reads);
  return (network) => ({
    countNotification: (subscription, count) => sent.inc({ network, subscription }, count),
    countGap: (subscription) => gaps.inc({ network, subscription }),
    countDrop: (subscription, reason) => drops.inc({ network, subscription, reason }),
    countPause: (subscription) => pauses.inc({ network, subscription }),
    countLoss: (reason) => losses.inc({ network, reason }),
    watch: (read) => void reads.set(network, read),
  });
}

function watchCounts(registry: Registry, reads: ReadonlyMap<string, () => SubscriptionCounts>): void {
  new Gauge({
    name: 'keyslot_ws_subscriptions',
    help: 'Subscriptions: those of clients, and those at the node, which clients share',
    labelNames: ['network', 'subscription', 'side'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [network, read] of reads) {
        for (const [subscription, { clients, node }] of read().byName) {
          this.set({ network, subscription, side: 'clients' }, clients);
          this.set({ network, subscription, side: 'node' }, node);
        }
      }
    },
  });
  new Gauge({
    name: 'keyslot_upstream_ws_up',
    help: 'Whether the WebSocket to a node is open; it is only while somebody subscribes',
    labelNames: ['network'] as const,
    registers: [registry],
    collect() {
      for (const [network, read] of reads) this.set({ network }, read().isConnected ? 1 : 0);
    },
  });
}
