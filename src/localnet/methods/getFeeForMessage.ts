import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { checkAge } from '../transaction/check-age.ts';
import { readComputeBudget } from '../transaction/compute-budget.ts';
import { decodeMessage } from '../../core/wire/decode-transaction.ts';
import { decodeMessageText } from '../../core/wire/transaction-text.ts';
import { errorText } from '../transaction/error-text.ts';
import { transactionFee } from '../transaction/fee.ts';
import { loadAddresses } from '../transaction/lookup-tables.ts';
import { sanitizeMessage } from '../transaction/sanitize.ts';

export const getFeeForMessage: LedgerHandler<Ledger, 'getFeeForMessage'> = (ledger, text, config) => {
  const message = decodeMessage(decodeMessageText(text));
  const { slot, context } = viewBank(ledger, config);
  sanitizeMessage(message);
  const lookup = loadAddresses(message, (address) => ledger.accounts.read(address, slot), slot);
  if (lookup.kind === 'error') throw serviceError('messageInvalid', { reason: errorText(lookup.error) });
  if (checkAge(ledger, message, slot).kind === 'error') return { context, value: null };
  const limits = readComputeBudget(message);
  const budget = limits.kind === 'budget' ? limits.budget : { priorityFee: 0n };
  return { context, value: transactionFee(message, budget) };
};
