import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { OperationContext } from '../account-context.ts';
import { readInvoicePage } from '../read-invoice-page.ts';
import { recordRead } from '../record-change.ts';
import { showListedInvoice } from '../invoice-view.ts';
import { isUuid } from '../uuid.ts';

/** `GET /account/v1/operator/invoices`: a page of the invoices of all accounts, or of one. */
export const listAllInvoices: AccountHandler<OperationContext, 'listAllInvoices'> = async (
  context,
  { query },
) => {
  await recordRead(context, 'listallinvoices');
  const { account_id: accountId } = query;
  if (accountId !== undefined && !isUuid(accountId)) return { kind: 'json', body: { invoices: [] } };
  const { invoices, nextCursor } = await readInvoicePage(context.store, { ...query, accountId });
  const shown = invoices.map((invoice) => ({
    ...showListedInvoice(invoice),
    account_id: invoice.accountId,
    account_name: invoice.accountName,
  }));
  return { kind: 'json', body: { invoices: shown, ...nextCursor } };
};
