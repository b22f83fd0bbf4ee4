import type { EpochSchedule } from '../epoch/epoch.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** Data of the epoch schedule sysvar: epochs of one length, no warm-up. */
export function epochScheduleData(epochs: EpochSchedule): Uint8Array {
  const { slotsPerEpoch, leaderScheduleSlotOffset } = epochs;
  return new ByteWriter(33).u64(slotsPerEpoch).u64(leaderScheduleSlotOffset).u8(0).u64(0n).u64(0n).bytes;
}
