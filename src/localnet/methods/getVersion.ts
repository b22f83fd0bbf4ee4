import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { FEATURE_SET, NODE_VERSION } from '../validator/version.ts';

export const getVersion: LedgerHandler<Ledger, 'getVersion'> = () => ({
  'solana-core': NODE_VERSION,
  'feature-set': FEATURE_SET,
});
