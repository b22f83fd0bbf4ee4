import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { LIMITS } from '../../../generated/ledger/limits.ts';
import type { Ledger } from '../ledger.ts';

export const getRecentPerformanceSamples: LedgerHandler<Ledger, 'getRecentPerformanceSamples'> = (
  { samples },
  limit,
) =>
  samples
    .latest(Number(limit ?? LIMITS.getRecentPerformanceSamples['limit.default']))
    .map(({ slot, transactions, votes, slots, seconds }) => ({
      slot,
      numTransactions: BigInt(transactions),
      numNonVoteTransactions: BigInt(transactions - votes),
      numSlots: slots,
      samplePeriodSecs: seconds,
    }));
