import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

export const getIdentity: LedgerHandler<Ledger, 'getIdentity'> = ({ genesis }) => ({
  identity: genesis.identity.address,
});
