import { serviceError } from '../../base/service-error.ts';
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
