import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { Block } from '../model.ts';

/**
 * Returns the block of a slot, if it is not newer than `newest`.
 *
 * @throws ServiceError blockCleanedUp, slotSkipped, blockNotAvailable.
 */
export function findBlock({ blocks }: Ledger, slot: bigint, newest: bigint): Block {
  if (slot < blocks.firstAvailable)
    throw serviceError('blockCleanedUp', { slot, firstAvailable: blocks.firstAvailable });
  if (blocks.skipped.has(slot)) throw serviceError('slotSkipped', { slot });
  const block = slot <= newest ? blocks.block(slot) : undefined;
  if (block === undefined) throw serviceError('blockNotAvailable', { slot });
  return block;
}

/** Returns the slots from `start` to `end` that have a block no newer than `newest`, ascending. */
export function availableSlots(
  { blocks }: Ledger,
  start: bigint,
  end: bigint,
  newest: bigint,
): readonly bigint[] {
  const first = start > blocks.firstAvailable ? start : blocks.firstAvailable;
  const closed = newest < blocks.openSlot ? newest : blocks.openSlot - 1n;
  const last = end < closed ? end : closed;
  if (first > last) return [];
  const slots: bigint[] = [];
  let slot = first;
  for (const gap of [...blocks.skipped.within(first, last), { first: last + 1n, end: last + 1n }]) {
    for (; slot < gap.first; slot++) slots.push(slot);
    slot = gap.end;
  }
  return slots;
}
