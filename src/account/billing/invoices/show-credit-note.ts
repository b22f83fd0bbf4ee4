import type { CreditNote as ShownNote } from '../../../../generated/account/types.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';
import type { CreditNote } from './read-invoices.ts';

/** Returns a credit note as the account service shows it, and as its digest covers it. */
export function showCreditNote({ number, invoiceNumber, amount, reason, issuedAt }: CreditNote): ShownNote {
  return {
    number,
    invoice_number: invoiceNumber,
    amount_usd: printUsd(amount),
    reason,
    issued_at: issuedAt.toISOString(),
  };
}
