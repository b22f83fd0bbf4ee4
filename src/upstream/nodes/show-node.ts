import type { NodeStatus } from './node-watch.ts';

/** Returns a ledger node as `/readyz` and `keyslot nodes --json` show it. */
export function showNode({ name, version, featureSet, isOrdered, isReachable }: NodeStatus) {
  return { name, version, feature_set: featureSet, is_ordered: isOrdered, is_reachable: isReachable };
}

/** Returns the slot time as they show it: in milliseconds, to a hundredth; null while it is unknown. */
export function showSlotMs(slotMs: number | null = null): number | null {
  return slotMs === null ? null : Math.round(slotMs * 100) / 100;
}
