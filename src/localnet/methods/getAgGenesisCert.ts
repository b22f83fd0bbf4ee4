import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

/** The ledger has one validator and no certificates, however soon its blocks are finalized. */
export const getAgGenesisCert: LedgerHandler<Ledger, 'getAgGenesisCert'> = () => null;
