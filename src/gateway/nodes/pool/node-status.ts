import type { NodeVersionStatus } from '../network/node-watch.ts';
import type { NodeStanding } from './judge-node.ts';
import type { NodeRole, PoolNode } from './pool-node.ts';

/** A node as operators see it. */
export type NodeStatus = NodeVersionStatus & {
  readonly roles: readonly NodeRole[];
  readonly weight: number;
  readonly standing: NodeStanding;
  /** Its problems; see `Verdict`. */
  readonly reasons: readonly string[];
  readonly isStale: boolean;
  /** The newest slot that it is known to have; null while none is known. */
  readonly slot: number | null;
  /** Its distance to the best node of its network, at the commitment where that is largest. */
  readonly lagSlots: number;
  /** The same in milliseconds at the pace of the network; null while that is unknown. */
  readonly lagMs: number | null;
  /** The oldest slot whose block it has; null while that is unknown. */
  readonly firstSlot: number | null;
};

/** Returns the status of a node of a pool, as operators see it. */
export function judgedStatus({ watch, roles, weight, verdict, health }: PoolNode): NodeStatus {
  const { standing, reasons, isStale, lagSlots, lagMs } = verdict;
  const slot = health.slots.processed === 0 ? null : health.slots.processed;
  return {
    ...watch.status(),
    roles: [...roles],
    weight,
    standing,
    reasons,
    isStale,
    slot,
    lagSlots,
    lagMs,
    firstSlot: health.firstSlot ?? null,
  };
}
