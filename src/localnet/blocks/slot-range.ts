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
  return first > last
    ? []
    : Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
}
