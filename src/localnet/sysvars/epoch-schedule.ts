import type { EpochSchedule } from '../epoch/epoch.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** Data of the epoch schedule sysvar. */
export function epochScheduleData({ lengths }: EpochSchedule): Uint8Array {
  const writer = new ByteWriter(33).u64(lengths.slotsPerEpoch).u64(lengths.leaderScheduleSlotOffset);
  return writer
    .u8(lengths.warmup ? 1 : 0)
    .u64(lengths.firstNormalEpoch)
    .u64(lengths.firstNormalSlot).bytes;
}
