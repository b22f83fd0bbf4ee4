import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';

/** Metrics of the subscriptions of one network. */
export type SubscriptionMetrics = {
  /** Counts notifications, one for each subscriber. */
  readonly countNotification: (name: SubscriptionName, subscribers: number) => void;
  /** Counts a gap that was reported to subscribers. */
  readonly countGap: (name: SubscriptionName) => void;
  /** Counts a result that was not sent to subscribers: `known`, `late`, `malformed`, `held` (there was no room to hold it). */
  readonly countDrop: (name: SubscriptionName, reason: 'known' | 'late' | 'malformed' | 'held') => void;
  /** Counts a WebSocket to a node that was lost. */
  readonly countLoss: (reason: string) => void;
  /** Reads the number of subscriptions of clients and at nodes, by name, and whether a node is connected. */
  readonly watch: (read: () => SubscriptionCounts) => void;
};

export type SubscriptionCounts = {
  readonly isConnected: boolean;
  readonly byName: ReadonlyMap<SubscriptionName, { readonly clients: number; readonly node: number }>;
};
