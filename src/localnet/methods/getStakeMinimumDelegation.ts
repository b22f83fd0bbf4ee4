import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { minimumDelegation } from '../validator/minimum-delegation.ts';

export const getStakeMinimumDelegation: LedgerHandler<Ledger, 'getStakeMinimumDelegation'> = (
  ledger,
  config,
) => {
  const { slot, context } = viewBank(ledger, config);
  return { context, value: minimumDelegation(ledger, slot) };
};
