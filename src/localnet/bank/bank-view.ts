import { serviceError } from '../../core/service-error.ts';
import { commitmentOf } from '../blocks/commitment.ts';
import type { Ledger } from '../ledger.ts';
import { NODE_VERSION } from '../validator/version.ts';

/** The bank that a request reads: its slot, and the context member of the answer. */
export type BankView = {
  readonly slot: bigint;
  readonly context: { readonly slot: bigint; readonly apiVersion: string };
};
type ContextOptions = { readonly commitment?: unknown; readonly minContextSlot?: number | bigint | null };

/**
 * Selects the bank by commitment (default finalized).
 *
 * @throws ServiceError minContextSlotNotReached.
 */
export function viewBank(ledger: Ledger, config: ContextOptions | null | undefined): BankView {
  const slot = ledger.slotAt(commitmentOf(config));
  const minimum = config?.minContextSlot;
  if (minimum !== null && minimum !== undefined && slot < minimum)
    throw serviceError('minContextSlotNotReached', { contextSlot: slot });
  return { slot, context: { slot, apiVersion: NODE_VERSION } };
}
