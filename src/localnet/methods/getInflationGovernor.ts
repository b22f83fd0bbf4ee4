import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { INFLATION } from '../validator/inflation.ts';
import type { Ledger } from '../ledger.ts';

export const getInflationGovernor: LedgerHandler<Ledger, 'getInflationGovernor'> = () => INFLATION;
