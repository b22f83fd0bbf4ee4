import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const getFirstAvailableBlock: LedgerHandler<Ledger, 'getFirstAvailableBlock'> = ({ blocks }) =>
  blocks.firstAvailable;
