import { type EpochLengths, shorterFirstSlot, shorterSlots } from './epoch-lengths.ts';

const U64_MAX = 2n ** 64n - 1n;

/** The epochs of a ledger. */
export class EpochSchedule {
  readonly lengths: EpochLengths;

  constructor(lengths: EpochLengths) {
    this.lengths = lengths;
  }

  epochOf(slot: bigint): bigint {
    const { slotsPerEpoch, firstNormalEpoch, firstNormalSlot } = this.lengths;
    if (slot >= firstNormalSlot) return firstNormalEpoch + (slot - firstNormalSlot) / slotsPerEpoch;
    let epoch = 0n;
    while (shorterFirstSlot(epoch + 1n) <= slot) epoch += 1n;
    return epoch;
  }

  /** Returns the index of a slot in its epoch, from 0. */
  slotIndex(slot: bigint): bigint {
    return slot - this.firstSlot(this.epochOf(slot));
  }

  /** Returns the number of slots of an epoch. */
  slotsIn(epoch: bigint): bigint {
    const { slotsPerEpoch, firstNormalEpoch } = this.lengths;
    return epoch < firstNormalEpoch ? shorterSlots(epoch) : slotsPerEpoch;
  }

  /** Returns the first slot of an epoch; saturates at the largest u64, as on a node. */
  firstSlot(epoch: bigint): bigint {
    const { slotsPerEpoch, firstNormalEpoch, firstNormalSlot } = this.lengths;
    if (epoch < firstNormalEpoch) return shorterFirstSlot(epoch);
    const slot = firstNormalSlot + (epoch - firstNormalEpoch) * slotsPerEpoch;
    return slot > U64_MAX ? U64_MAX : slot;
  }

  /** Returns the newest epoch whose leader schedule is known at a slot. */
  leaderScheduleEpoch(slot: bigint): bigint {
    const { leaderScheduleSlotOffset, firstNormalSlot } = this.lengths;
    return slot < firstNormalSlot ? this.epochOf(slot) + 1n : this.epochOf(slot + leaderScheduleSlotOffset);
  }
}
