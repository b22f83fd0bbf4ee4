import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import type { Ledger } from '../ledger.ts';

/** The validator makes no vote transactions, so every transaction is a non-vote one. */
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
