import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';

export const getSlotLeader: LedgerHandler<Ledger, 'getSlotLeader'> = (ledger, config) => {
  viewBank(ledger, config);
  return ledger.genesis.identity.address;
};
