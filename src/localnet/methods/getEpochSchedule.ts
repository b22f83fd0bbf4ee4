import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const getEpochSchedule: LedgerHandler<Ledger, 'getEpochSchedule'> = ({ epochs }) => ({
  slotsPerEpoch: epochs.slotsPerEpoch,
  leaderScheduleSlotOffset: epochs.leaderScheduleSlotOffset,
  warmup: false,
  firstNormalEpoch: 0n,
  firstNormalSlot: 0n,
});
