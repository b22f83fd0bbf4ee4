import type { AccountHandler } from '../../../generated/account/handlers.ts';
import type { AccountContext } from '../account-context.ts';
import { readInvoicePage } from '../read-invoice-page.ts';
import { showListedInvoice } from '../show-invoice.ts';

/** `GET /account/v1/invoices`: a page of the invoices of the account. */
export const listInvoices: AccountHandler<AccountContext, 'listInvoices'> = async (
  { store, caller: { accountId } },
  { query },
) => {
  const { invoices, nextCursor } = await readInvoicePage(store, { ...query, accountId });
  return { kind: 'json', body: { invoices: invoices.map(showListedInvoice), ...nextCursor } };
};
