import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { OperationContext } from '../account-context.ts';
import { readInvoicePage } from '../read-invoice-page.ts';
import { showListedInvoice } from '../invoice-view.ts';

/** `GET /account/v1/invoices`: a page of the invoices of the account. */
export const listInvoices: AccountHandler<OperationContext, 'listInvoices'> = async (
  { store, caller: { accountId } },
  { query },
) => {
  const { invoices, nextCursor } = await readInvoicePage(store, { ...query, accountId });
  return { kind: 'json', body: { invoices: invoices.map(showListedInvoice), ...nextCursor } };
};
