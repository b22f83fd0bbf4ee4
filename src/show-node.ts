import type { NodeStatus } from './upstream/nodes/node-watch.ts';

/** A ledger node as `/readyz` and `keyslot nodes --json` have it. */
export function showNode({ name, version, featureSet, isOrdered }: NodeStatus) {
  return { name, version, feature_set: featureSet, is_ordered: isOrdered };
}
