import { setImmediate } from 'node:timers/promises';
import { serviceError } from '../../core/service-error.ts';
import { MINIMUM_HISTORY_SLOTS } from '../blocks/block-history.ts';
import type { Ledger } from '../ledger.ts';

/** Number of blocks created before the slot of a warp, so that programs and clients find the past that they read. */
const BLOCKS_BEFORE = BigInt(MINIMUM_HISTORY_SLOTS);
const SLOTS_AT_ONCE = 16;

/**
 * Opens a later slot at a time in milliseconds since 1970. The open slot is closed first. Nearby slots are closed one after the other; if
 * there are too many, all but the last 512 are skipped and have no block. Other calls are answered in between.
 *
 * @throws ServiceError ledgerStopped; invalidParam: an earlier state was restored meanwhile.
 */
export async function warpTo(ledger: Ledger, slot: bigint, timeMs: number): Promise<void> {
  const { blocks, clock, pace } = ledger;
  const timeOf = (each: bigint): number =>
    Math.max(clock.nowMs(), timeMs - Number(slot - each) * pace.slotMs);
  const first = slot - BLOCKS_BEFORE;
  if (first > blocks.openSlot + 1n) ledger.tick({ slot: first, timeMs: timeOf(first) });
  for (let closed = 1; blocks.openSlot < slot; closed++) {
    clock.set(timeOf(blocks.openSlot + 1n));
    ledger.tick();
    if (closed % SLOTS_AT_ONCE === 0 && blocks.openSlot < slot) await giveTurn(ledger);
  }
}

/**
 * Closes the given number of slots, beginning with the open one; the clock advances by the length of each. Other calls are answered in
 * between.
 *
 * @throws ServiceError ledgerStopped; invalidParam: an earlier state was restored meanwhile.
 */
export async function closeSlots(ledger: Ledger, count: number): Promise<void> {
  const { clock, pace } = ledger;
  for (let closed = 1; closed <= count; closed++) {
    clock.set(clock.nowMs() + pace.slotMs);
    ledger.tick();
    if (closed % SLOTS_AT_ONCE === 0) await giveTurn(ledger);
  }
}

async function giveTurn(ledger: Ledger): Promise<void> {
  const { openSlot } = ledger.blocks;
  await setImmediate();
  if (ledger.isStopped) throw serviceError('ledgerStopped');
  if (ledger.blocks.openSlot < openSlot)
    throw serviceError('invalidParam', {
      reason: 'an earlier state was restored before all slots were closed',
    });
}
