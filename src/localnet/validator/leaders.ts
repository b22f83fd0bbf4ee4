import { leaderScheduleEpoch } from '../epoch/epoch.ts';

/** True when the leader schedule of an epoch is known in the bank of `slot`. One validator leads every slot. */
export function isScheduled(epoch: bigint, slot: bigint): boolean {
  return epoch <= leaderScheduleEpoch(slot);
}
