import { epochOf, leaderScheduleEpoch } from '../epoch/epoch.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** Data of the clock sysvar. Times are Unix seconds. */
export function clockData(slot: bigint, time: bigint, epochStartTime: bigint): Uint8Array {
  return new ByteWriter(40)
    .u64(slot)
    .i64(epochStartTime)
    .u64(epochOf(slot))
    .u64(leaderScheduleEpoch(slot))
    .i64(time).bytes;
}
