import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const minimumLedgerSlot: LedgerHandler<Ledger, 'minimumLedgerSlot'> = ({ blocks }) =>
  blocks.firstAvailable;
