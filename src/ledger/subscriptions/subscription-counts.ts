import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';

/** What is counted of the subscriptions of one network. */
export type SubscriptionMetrics = {
  /** Notifications sent, one for each who hears it. */
  readonly countNotification: (name: SubscriptionName, subscribers: number) => void;
  /** A gap that subscribers were told of. */
  readonly countGap: (name: SubscriptionName) => void;
  /** What a node sent and nobody was told: `known`, `late`, `malformed`, `held` (there was no room to keep it back). */
  readonly countDrop: (name: SubscriptionName, reason: 'known' | 'late' | 'malformed' | 'held') => void;
  /** A WebSocket to a node that was lost. */
  readonly countLoss: (reason: string) => void;
  /** Reads how many subscriptions clients and nodes have, by name, and whether a node is connected. */
  readonly watch: (read: () => SubscriptionCounts) => void;
};

export type SubscriptionCounts = {
  readonly isConnected: boolean;
  readonly byName: ReadonlyMap<SubscriptionName, { readonly clients: number; readonly node: number }>;
};
