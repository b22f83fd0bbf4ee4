import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readInvoice as read } from '../../billing/invoices/read-invoices.ts';
import type { AccountContext } from '../account-context.ts';
import { toInvoiceView } from '../invoice-view.ts';

/** `GET /account/v1/invoices/{id}`: an invoice of the account. */
export const readInvoice: AccountHandler<AccountContext, 'readInvoice'> = async (
  { store, caller: { accountId } },
  { id: number },
) => ({ kind: 'json', body: toInvoiceView(await read(store.db, { number, accountId })) });
