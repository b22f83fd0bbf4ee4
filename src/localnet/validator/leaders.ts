import { leaderScheduleEpoch } from '../epoch/epoch.ts';

/** Whether the leader schedule of an epoch is made, as the bank of `slot` sees it. One validator leads every slot. */
export function isScheduled(epoch: bigint, slot: bigint): boolean {
  return epoch <= leaderScheduleEpoch(slot);
}
