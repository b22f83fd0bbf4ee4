import type { SubscriptionName } from '../../../../generated/ledger/subscriptions.ts';

/** Metrics of the subscriptions of one network. */
export type SubscriptionMetrics = {
  /** Counts notifications, one for each subscriber. */
  readonly countNotification: (name: SubscriptionName, subscribers: number) => void;
  /** Counts a gap that was reported to subscribers. */
  readonly countGap: (name: SubscriptionName) => void;
  /** Counts a result that was not sent to subscribers: `known`, `late`, `malformed`, `held` (there was no room to hold it). */
  readonly countDrop: (name: SubscriptionName, reason: 'known' | 'late' | 'malformed' | 'held') => void;
  /** Counts a subscription that was paused, since the node had too much to write. */
  readonly countPause: (name: SubscriptionName) => void;
  /** Counts a WebSocket to a node that was lost. */
  readonly countLoss: (reason: string) => void;
  /** Reads the number of subscriptions of clients and at nodes, by name, and whether a node is connected. */
  readonly watch: (read: () => SubscriptionCounts) => void;
};

export type SubscriptionCounts = {
  readonly isConnected: boolean;
  readonly byName: ReadonlyMap<SubscriptionName, { readonly clients: number; readonly node: number }>;
};

type Counted = {
  readonly info: { readonly name: SubscriptionName };
  readonly subscribers: ReadonlySet<unknown>;
  readonly nodeId: string | undefined;
};

/** Counts subscriptions by name: those of clients, and those that the node has. */
export function countSubscriptions(all: Iterable<Counted>): SubscriptionCounts['byName'] {
  const byName = new Map<SubscriptionName, { clients: number; node: number }>();
  for (const { info, subscribers, nodeId } of all) {
    const counts = byName.get(info.name) ?? { clients: 0, node: 0 };
    counts.clients += subscribers.size;
    counts.node += nodeId === undefined ? 0 : 1;
    byName.set(info.name, counts);
  }
  return byName;
}
