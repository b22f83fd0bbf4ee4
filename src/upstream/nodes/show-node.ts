import type { NodeStatus } from './node-watch.ts';

/** A ledger node as `/readyz` and `keyslot nodes --json` have it. */
export function showNode({ name, version, featureSet, isOrdered }: NodeStatus) {
  return { name, version, feature_set: featureSet, is_ordered: isOrdered };
}

/** The length of a slot as they have it: in milliseconds, to a hundredth; null while it is not known. */
export function showSlotMs(slotMs: number | null = null): number | null {
  return slotMs === null ? null : Math.round(slotMs * 100) / 100;
}
