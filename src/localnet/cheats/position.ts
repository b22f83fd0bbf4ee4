import type { LedgerPosition } from '../../../generated/localnet/types.ts';
import type { Ledger } from '../ledger.ts';

/** Returns the position of a ledger, and how it proceeds. */
export function positionOf({ blocks, clock, epochs, pace }: Ledger): LedgerPosition {
  const slot = blocks.openSlot;
  return {
    slot,
    epoch: epochs.epochOf(slot),
    blockHeight: blocks.height(slot),
    timestamp: blocks.time(slot),
    isPaused: clock.isStopped,
    production: pace.production,
    slotMs: pace.slotMs,
  };
}
