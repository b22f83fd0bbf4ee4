import type { Ledger } from '../ledger.ts';

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
