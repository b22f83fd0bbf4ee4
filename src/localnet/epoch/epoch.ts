const U64_MAX = 2n ** 64n - 1n;

/** The epochs of a ledger: all have the same length, because there is no warm-up. */
export class EpochSchedule {
  readonly slotsPerEpoch: bigint;

  constructor(slotsPerEpoch: bigint) {
    this.slotsPerEpoch = slotsPerEpoch;
  }

  /** Number of slots between the creation of a leader schedule and its epoch. */
  get leaderScheduleSlotOffset(): bigint {
    return this.slotsPerEpoch;
  }

  epochOf(slot: bigint): bigint {
    return slot / this.slotsPerEpoch;
  }

  /** Returns the index of a slot in its epoch, from 0. */
  slotIndex(slot: bigint): bigint {
    return slot % this.slotsPerEpoch;
  }

  /** Returns the first slot of an epoch; saturates at the largest u64, as on a node. */
  firstSlot(epoch: bigint): bigint {
    const slot = epoch * this.slotsPerEpoch;
    return slot > U64_MAX ? U64_MAX : slot;
  }

  /** Returns the newest epoch whose leader schedule is known at a slot. */
  leaderScheduleEpoch(slot: bigint): bigint {
    return this.epochOf(slot + this.leaderScheduleSlotOffset);
  }
}
