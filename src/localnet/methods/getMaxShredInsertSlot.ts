import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

/** The node leads every slot, so the newest one it has seen is the one it builds. */
export const getMaxShredInsertSlot: LedgerHandler<Ledger, 'getMaxShredInsertSlot'> = ({ blocks }) =>
  blocks.openSlot;
