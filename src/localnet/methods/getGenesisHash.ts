import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { encodeBase58 } from '../bytes/base58.ts';
import type { Ledger } from '../ledger.ts';

export const getGenesisHash: LedgerHandler<Ledger, 'getGenesisHash'> = ({ genesis }) =>
  encodeBase58(genesis.hash);
