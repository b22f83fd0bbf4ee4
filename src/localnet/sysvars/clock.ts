import type { EpochSchedule } from '../epoch/epoch.ts';
import type { EpochTimes } from '../epoch/epoch-times.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** Data of the clock sysvar. `time` is in Unix seconds. */
export function clockData(slot: bigint, time: bigint, epochs: EpochSchedule, times: EpochTimes): Uint8Array {
  const epoch = epochs.epochOf(slot);
  return new ByteWriter(40)
    .u64(slot)
    .i64(times.start(epoch))
    .u64(epoch)
    .u64(epochs.leaderScheduleEpoch(slot))
    .i64(time).bytes;
}
