import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LEADER_SCHEDULE_SLOT_OFFSET, SLOTS_PER_EPOCH } from '../epoch/epoch.ts';
import type { Ledger } from '../ledger.ts';

export const getEpochSchedule: LedgerHandler<Ledger, 'getEpochSchedule'> = () => ({
  slotsPerEpoch: SLOTS_PER_EPOCH,
  leaderScheduleSlotOffset: LEADER_SCHEDULE_SLOT_OFFSET,
  warmup: false,
  firstNormalEpoch: 0n,
  firstNormalSlot: 0n,
});
