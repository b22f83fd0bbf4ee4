import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readInvoice } from '../../billing/invoices/read-invoices.ts';
import type { OperationContext } from '../account-context.ts';
import { recordRead } from '../record-change.ts';
import { toInvoiceView } from '../invoice-view.ts';

/** `GET /account/v1/operator/invoices/{id}`: an invoice of any account. */
export const readAnyInvoice: AccountHandler<OperationContext, 'readAnyInvoice'> = async (
  context,
  { id: number },
) => {
  const details = await readInvoice(context.store.db, { number });
  await recordRead(context, 'readanyinvoice', details.invoice.number);
  return { kind: 'json', body: toInvoiceView(details) };
};
