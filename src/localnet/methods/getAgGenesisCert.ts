import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { genesisCertificate } from '../validator/genesis-certificate.ts';

export const getAgGenesisCert: LedgerHandler<Ledger, 'getAgGenesisCert'> = ({ consensus, genesis }) =>
  consensus === 'alpenglow' ? genesisCertificate(genesis) : null;
