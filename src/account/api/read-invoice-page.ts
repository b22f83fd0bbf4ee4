import { type ListedInvoice, listInvoices } from '../billing/invoices/read-invoices.ts';
import { readPage } from '../../core/read-page.ts';
import type { Store } from '../../store/open-store.ts';
import { isNumber } from './is-number.ts';

type Query = {
  /** Undefined: all accounts. */
  readonly accountId?: string | undefined;
  readonly limit: number;
  readonly cursor?: string;
};

/** Reads a page of invoices, newest first. @throws ServiceError `queryInvalid` for a cursor that is not from this list. */
export async function readInvoicePage(
  { db }: Pick<Store, 'db'>,
  { accountId, ...query }: Query,
): Promise<{
  readonly invoices: readonly ListedInvoice[];
  readonly nextCursor: { readonly next_cursor?: string };
}> {
  const { rows, nextCursor } = await readPage(query, {
    isId: isNumber,
    read: async ({ after, limit }) => {
      const before = after === undefined ? undefined : Number(after.id);
      const invoices = await listInvoices(db, { accountId, before, limit });
      return invoices.map((invoice) => ({ invoice, id: digitsOf(invoice), createdAt: invoice.issuedAt }));
    },
  });
  return { invoices: rows.map(({ invoice }) => invoice), nextCursor };
}

function digitsOf({ number }: ListedInvoice): string {
  return String(Number(number.split('-').at(-1)));
}
