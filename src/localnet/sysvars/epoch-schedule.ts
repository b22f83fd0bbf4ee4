import { LEADER_SCHEDULE_SLOT_OFFSET, SLOTS_PER_EPOCH } from '../epoch/epoch.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

/** Data of the epoch schedule sysvar: epochs of one length, no warm-up. */
export function epochScheduleData(): Uint8Array {
  return new ByteWriter(33).u64(SLOTS_PER_EPOCH).u64(LEADER_SCHEDULE_SLOT_OFFSET).u8(0).u64(0n).u64(0n).bytes;
}
