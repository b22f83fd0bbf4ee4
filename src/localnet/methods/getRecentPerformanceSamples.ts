import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import type { Ledger } from '../ledger.ts';

/** Votes are not made as transactions here, so no transaction is one. */
export const getRecentPerformanceSamples: LedgerHandler<Ledger, 'getRecentPerformanceSamples'> = (
  { samples },
  limit,
) =>
  samples
    .latest(Number(limit ?? LIMITS.getRecentPerformanceSamples['limit.default']))
    .map(({ slot, transactions, slots, seconds }) => ({
      slot,
      numTransactions: BigInt(transactions),
      numNonVoteTransactions: BigInt(transactions),
      numSlots: slots,
      samplePeriodSecs: seconds,
    }));
