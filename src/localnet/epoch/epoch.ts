/** Slots in an epoch. */
export const SLOTS_PER_EPOCH = 432_000n;
/** Number of slots between the creation of a leader schedule and its epoch. */
export const LEADER_SCHEDULE_SLOT_OFFSET = 432_000n;
const U64_MAX = 2n ** 64n - 1n;

/** Returns the epoch of a slot; there is no warm-up, so all epochs have the same length. */
export function epochOf(slot: bigint): bigint {
  return slot / SLOTS_PER_EPOCH;
}

/** Returns the index of a slot in its epoch, from 0. */
export function slotIndexInEpoch(slot: bigint): bigint {
  return slot % SLOTS_PER_EPOCH;
}

/** Returns the first slot of an epoch; saturates at the largest u64, as on a node. */
export function firstSlotOfEpoch(epoch: bigint): bigint {
  const slot = epoch * SLOTS_PER_EPOCH;
  return slot > U64_MAX ? U64_MAX : slot;
}

/** Returns the newest epoch whose leader schedule is known at a slot. */
export function leaderScheduleEpoch(slot: bigint): bigint {
  return epochOf(slot + LEADER_SCHEDULE_SLOT_OFFSET);
}
