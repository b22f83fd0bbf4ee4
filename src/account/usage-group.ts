/** Groupings of usage counts. Days and hours are those of UTC. */
export const USAGE_GROUPS = ['key', 'network', 'method', 'minute', 'hour', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Those of the wallet operations: they have tokens in place of keys, operations in place of methods, and no network. */
export const WALLET_GROUPS = {
  key: 'token',
  method: 'operation',
  minute: 'minute',
  hour: 'hour',
  day: 'day',
} as const;
export type WalletUsageGroup = (typeof WALLET_GROUPS)[keyof typeof WALLET_GROUPS] | 'day_operation';
