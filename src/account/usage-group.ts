/** Groupings of usage counts. Days and hours are those of UTC. */
export const USAGE_GROUPS = ['key', 'network', 'method', 'minute', 'hour', 'day'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];
