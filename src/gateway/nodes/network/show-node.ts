import type { Consensus } from '../pool/consensus.ts';
import type { NodeStatus } from '../pool/node-status.ts';

/** Returns a ledger node as `/readyz` and `keyslot nodes --json` show it. */
export function showNode(status: NodeStatus) {
  const { name, version, featureSet, isOrdered, isReachable, standing, reasons, isStale, roles, weight } =
    status;
  return {
    name,
    version,
    feature_set: featureSet,
    is_ordered: isOrdered,
    is_reachable: isReachable,
    standing,
    reasons,
    is_stale: isStale,
    roles,
    weight,
    slot: status.slot,
    lag_slots: status.lagSlots,
    lag_ms: status.lagMs,
    first_slot: status.firstSlot,
  };
}

/** Returns the consensus of a network as they show it; `alpenglow_from`: the last slot before Alpenglow, null under another. */
export function showConsensus({ kind, slot }: Consensus) {
  return { consensus: kind, alpenglow_from: slot };
}

/** Returns the slot time as they show it: in milliseconds, to a hundredth; null while it is unknown. */
export function showSlotMs(slotMs: number | null = null): number | null {
  return slotMs === null ? null : Math.round(slotMs * 100) / 100;
}
