import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { checkAge } from '../transaction/check-age.ts';
import { readComputeBudget } from '../transaction/compute-budget.ts';
import { decodeMessage } from '../transaction/decode.ts';
import { decodeWireText } from '../transaction/decode-text.ts';
import { transactionFee } from '../transaction/fee.ts';
import { sanitizeMessage } from '../transaction/sanitize.ts';

export const getFeeForMessage: LedgerHandler<Ledger, 'getFeeForMessage'> = (ledger, text, config) => {
  const message = decodeMessage(decodeWireText(text, 'base64'));
  const { slot, context } = viewBank(ledger, config);
  sanitizeMessage(message);
  if (checkAge(ledger, message, slot).kind === 'error') return { context, value: null };
  const limits = readComputeBudget(message);
  const budget = limits.kind === 'budget' ? limits.budget : { unitLimit: 0n, unitPrice: 0n };
  return { context, value: transactionFee(message, budget) };
};
