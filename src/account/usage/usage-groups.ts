/** Units of time that usage is grouped by. */
export type TimeGroup = 'minute' | 'hour' | 'day';

const UNITS: ReadonlySet<string> = new Set<TimeGroup>(['minute', 'hour', 'day']);

/** True for a grouping by time: its sums are in ascending order. */
export function isTimeGroup(by: string): by is TimeGroup {
  return UNITS.has(by);
}

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
