import { printInvoiceCsv } from '../../runtime/invoice-csv.ts';
import type { BilledInvoice } from '../../runtime/bill.ts';
import { textTable } from './text-table.ts';

type Row = Readonly<Record<string, string>>;

type Details = {
  readonly invoice: BilledInvoice & Row;
  readonly credit_notes: readonly Row[];
  readonly credited_usd: string;
  readonly outstanding_usd: string;
};

type Statement = Row & {
  readonly charges: readonly {
    readonly operation: string;
    readonly units: number;
    readonly cost_usd: string;
  }[];
};

const INVOICES = [
  'NUMBER',
  'ACCOUNT',
  'MONTH',
  'ISSUED',
  'DUE ON',
  'TOTAL USD',
  'CREDITED USD',
  'OUTSTANDING USD',
];
const STATEMENTS = [
  'MONTH',
  'OPENING USD',
  'DEPOSITS USD',
  'GIVEN BACK USD',
  'CHARGED USD',
  'CLOSING USD',
  'INVOICE',
];
const LINES = ['OPERATION', 'PRICE', 'UNITS', 'UNIT USD', 'AMOUNT USD'];
const isAmount = (head: string): boolean => head.endsWith('USD') || head === 'UNITS';

/** The texts of the results of requests about billing; that of `billing.set` is the standing of the account. */
export const BILLING_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'invoices.list': ({
    invoices,
    next_cursor,
  }: {
    readonly invoices: readonly Row[];
    readonly next_cursor?: string;
  }) => {
    if (invoices.length === 0) return 'There are no invoices.\n';
    const cells = invoices.map(({ number, account, month, issued_at, due_on, ...amounts }) => [
      ...[number, account, month, issued_at?.slice(0, 10), due_on],
      ...[amounts.total_usd, amounts.credited_usd, amounts.outstanding_usd],
    ]);
    const more = next_cursor === undefined ? '' : `\nThere are more: --cursor ${next_cursor}\n`;
    return (
      textTable(
        INVOICES,
        cells.map((row) => row.map(String)),
        INVOICES.filter(isAmount),
      ) + more
    );
  },
  'invoices.show': describeInvoice,
  'invoices.show.csv': (details: Details) => printInvoiceCsv(details),
  'invoices.credit': ({ number, invoice_number, amount_usd, is_new }: Row) =>
    is_new
      ? `Issued the credit note ${number}: ${amount_usd} USD of ${invoice_number} are given back.\n`
      : `The credit note ${number} was issued before: ${amount_usd} USD of ${invoice_number}.\n`,
  statements: ({ statements }: { readonly statements: readonly Statement[] }) =>
    textTable(
      STATEMENTS,
      statements.map((one) =>
        [
          ...[one.month, one.opening_usd, one.deposits_usd, one.given_back_usd, one.charged_usd],
          ...[one.closing_usd, one.invoice_number ?? ''],
        ].map(String),
      ),
      STATEMENTS.filter(isAmount),
    ),
  'notices.show': describeNotices,
  'notices.set': describeNotices,
};

function describeInvoice({ invoice, credit_notes, credited_usd, outstanding_usd }: Details): string {
  const {
    number,
    account_name,
    month,
    issued_at = '',
    due_on,
    lines,
    seller,
    recipient,
    payment_note,
  } = invoice;
  const parties = [
    ['From', seller],
    ['To', recipient],
  ].flatMap(([title, text]) =>
    text === '' || text === undefined ? [] : [`${title}:\n  ${text.replaceAll('\n', '\n  ')}\n\n`],
  );
  const cells = lines.map(({ operation, tier, units, unit_price_usd, amount_usd }) => [
    ...[operation, tier.replace('_', ' '), String(units), unit_price_usd, amount_usd],
  ]);
  const credit =
    invoice.service_credit_percent === 0
      ? []
      : [
          [
            `given back (${invoice.service_credit_percent} % for availability)`,
            `-${invoice.service_credit_usd} USD`,
          ],
        ];
  const notes = credit_notes.map((note) => [`${note.number} (${note.reason})`, `-${note.amount_usd} USD`]);
  const totals = [
    ['charged', `${invoice.charged_usd} USD`],
    ...credit,
    ['total', `${invoice.total_usd} USD`],
    ['paid when issued', `${invoice.paid_usd} USD`],
    ...notes,
    ...(credit_notes.length === 0 ? [] : [['credited', `${credited_usd} USD`]]),
    ['left to pay', `${outstanding_usd} USD`],
  ];
  const about = `Invoice ${number} of the account ${account_name} for ${month}, issued ${issued_at.slice(0, 10)}, due on ${due_on}\n\n`;
  const pay = payment_note === '' ? '' : `\n${payment_note}\n`;
  return `${about}${parties.join('')}${textTable(LINES, cells, LINES.filter(isAmount))}\n${textTable(['', ''], totals, ['']).trimStart()}Availability of the wallet service: ${invoice.availability_percent} %\n${pay}`;
}

function describeNotices({
  account,
  notify_below_usd,
}: {
  readonly account: string;
  readonly notify_below_usd: readonly string[];
}): string {
  if (notify_below_usd.length === 0)
    return `The account ${account} is never told that its balance runs low.\n`;
  return `The account ${account} is told when it can spend less than ${notify_below_usd.map((amount) => `${amount} USD`).join(', ')}.\n`;
}
