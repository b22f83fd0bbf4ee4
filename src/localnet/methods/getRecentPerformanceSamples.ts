import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import type { Ledger } from '../ledger.ts';

const MAX_SAMPLES = 720;

/** Votes are not made as transactions here, so no transaction is one. */
export const getRecentPerformanceSamples: LedgerHandler<Ledger, 'getRecentPerformanceSamples'> = (
  { samples },
  limit,
) =>
  samples.latest(Number(limit ?? MAX_SAMPLES)).map(({ slot, transactions, slots, seconds }) => ({
    slot,
    numTransactions: BigInt(transactions),
    numNonVoteTransactions: BigInt(transactions),
    numSlots: slots,
    samplePeriodSecs: seconds,
  }));
