import type { SnapshotInfo } from '../../../generated/localnet/types.ts';
import type { LedgerSnapshot } from '../ledger-state.ts';

/** Returns the public description of a snapshot. */
export function snapshotInfo(name: string, { blocks }: LedgerSnapshot): SnapshotInfo {
  return { name, slot: blocks.openSlot, timestamp: blocks.openTime };
}
