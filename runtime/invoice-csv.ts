import type { BilledInvoice } from './bill.ts';

type Details = {
  readonly invoice: BilledInvoice;
  readonly credit_notes: readonly { readonly number?: string; readonly amount_usd?: string }[];
};

const HEAD = ['invoice', 'month', 'item', 'price', 'units', 'unit_price_usd', 'amount_usd'];

/** Prints an invoice as CSV (RFC 4180): a row for each line, for refunds, and for the total, less its credit notes. */
export function printInvoiceCsv({ invoice, credit_notes: notes }: Details): string {
  const { number, month, lines, service_credit_usd: credit, total_usd: total } = invoice;
  const row = (...cells: readonly (string | number | undefined)[]) => [number, month, ...cells];
  const rows = [
    HEAD,
    ...lines.map(({ operation, tier, units, unit_price_usd: price, amount_usd: amount }) =>
      row(operation, tier, units, price, amount),
    ),
    ...(credit === '0.00' ? [] : [row('service_credit', '', '', '', `-${credit}`)]),
    row('total', '', '', '', total),
    ...notes.map((note) => row(`credit_note ${note.number}`, '', '', '', `-${note.amount_usd}`)),
  ];
  return rows.map((cells) => `${cells.join(',')}\r\n`).join('');
}
