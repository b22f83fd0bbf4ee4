import type { NodeVersionStatus } from '../nodes/node-watch.ts';
import type { NodeStanding } from './judge-node.ts';
import type { NodeRole, PoolNode } from './pool-node.ts';

/** A node as operators see it. */
export type NodeStatus = NodeVersionStatus & {
  readonly roles: readonly NodeRole[];
  readonly weight: number;
  readonly standing: NodeStanding;
  /** What is wrong with it; see `Verdict`. */
  readonly reasons: readonly string[];
  readonly isStale: boolean;
  /** The newest slot that it is known to have; null while none is known. */
  readonly slot: number | null;
  /** How far it is behind the best node of its network, at the commitment where that is most. */
  readonly lagSlots: number;
  /** The same in milliseconds at the pace of the network; null while that is unknown. */
  readonly lagMs: number | null;
  /** The oldest slot whose block it has; null while that is unknown. */
  readonly firstSlot: number | null;
};

/** Returns what operators see of a node of a pool. */
export function judgedStatus({ watch, roles, weight, verdict, health }: PoolNode): NodeStatus {
  const { standing, reasons, isStale, lagSlots, lagMs } = verdict;
  const slot = health.slots.processed === 0 ? null : health.slots.processed;
  return {
    ...{ ...watch.status(), roles: [...roles], weight, standing, reasons, isStale },
    ...{ slot, lagSlots, lagMs, firstSlot: health.firstSlot ?? null },
  };
}
