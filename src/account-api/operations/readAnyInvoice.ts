import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readInvoice } from '../../account/billing/read-invoices.ts';
import type { AccountContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { showInvoice } from '../show-invoice.ts';

/** `GET /account/v1/operator/invoices/{id}`: an invoice of any account. */
export const readAnyInvoice: AccountHandler<AccountContext, 'readAnyInvoice'> = async (
  context,
  { id: number },
) => {
  const details = await readInvoice(context.store.db, { number });
  await recordRead(context, 'readanyinvoice', details.invoice.number);
  return { kind: 'json', body: showInvoice(details) };
};
