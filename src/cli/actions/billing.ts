import { printInvoiceCsv } from '../../../runtime/invoice-csv.ts';
import type {
  InvoiceDetails,
  InvoiceLine,
  ListedInvoice,
  OperatedInvoice,
} from '../../../generated/account/types.ts';
import { mistake, readAmount } from '../../operate/admin/admin-request.ts';
import { parseUsd, printUsd } from '../../../runtime/micro-usd.ts';
import { type Columns, pageOf, tableOf, textTable } from '../text-table.ts';
import { type Action, type Given, local, operation, readPage } from './action.ts';
import { type Balance, describeBalance } from './wallet-service.ts';

/** The commands about the billing of accounts, and their invoices. */
export const BILLING_ACTIONS = {
  billing: setBilling,
  'invoices list': listInvoices,
  'invoices show': ({ words: [number = ''], options: { csv } }: Given) =>
    operation(
      { operation: 'readAnyInvoice', id: number },
      (details) => details,
      csv === true ? printInvoiceCsv : describeInvoice,
    ),
  'invoices credit': ({ words: [number, amountUsd], options: { reason, reference } }: Given) =>
    local(
      { kind: 'invoices.credit', number, amountUsd, reason, reference },
      ({ is_new: isNew, ...note }: Note & { readonly is_new: boolean }) =>
        isNew
          ? `Issued the credit note ${note.number}: ${note.amount_usd} USD of ${note.invoice_number} are refunded.\n`
          : `The credit note ${note.number} was issued before: ${note.amount_usd} USD of ${note.invoice_number}.\n`,
    ),
  statements: ({ words: [account = ''] }: Given) =>
    operation(
      { operation: 'listStatements', account },
      ({ statements }) => ({
        account,
        statements: statements.map((one) => ({
          month: one.month,
          opening_usd: one.opening_usd,
          deposits_usd: one.deposits_usd,
          given_back_usd: one.given_back_usd,
          charged_usd: one.charged_usd,
          charges: one.charges,
          closing_usd: one.closing_usd,
          invoice_number: one.invoice_number ?? null,
        })),
      }),
      ({ statements }) =>
        tableOf(
          {
            MONTH: 'month',
            '>OPENING USD': 'opening_usd',
            '>DEPOSITS USD': 'deposits_usd',
            '>GIVEN BACK USD': 'given_back_usd',
            '>CHARGED USD': 'charged_usd',
            '>CLOSING USD': 'closing_usd',
            INVOICE: 'invoice_number',
          },
          statements,
        ),
    ),
  notices: setNotices,
} satisfies Record<string, (given: Given) => Action>;

type Note = InvoiceDetails['credit_notes'][number];

const INVOICE_COLUMNS: Columns<ReturnType<typeof showListed>> = {
  NUMBER: 'number',
  ACCOUNT: 'account',
  MONTH: 'month',
  ISSUED: ({ issued_at: issuedAt }) => issuedAt.slice(0, 10),
  'DUE ON': 'due_on',
  '>TOTAL USD': 'total_usd',
  '>CREDITED USD': 'credited_usd',
  '>OUTSTANDING USD': 'outstanding_usd',
};

const LINE_COLUMNS: Columns<InvoiceLine> = {
  OPERATION: 'operation',
  PRICE: ({ tier }) => tier.replace('_', ' '),
  '>UNITS': 'units',
  '>UNIT USD': 'unit_price_usd',
  '>AMOUNT USD': 'amount_usd',
};

const MODES = { 'by-volume': 'by_volume', invoiced: 'invoiced', prepaid: 'prepaid' } as const;

/** Without options the command shows how the account pays. */
function setBilling({ words: [account = ''], options }: Given): Action {
  const { 'credit-limit': limitUsd } = options;
  const chosen = Object.entries(MODES).filter(([option]) => options[option] === true);
  const [[, mode] = []] = chosen;
  if (chosen.length === 0 && limitUsd === undefined)
    return local({ kind: 'money.balance', account }, describeBalance);
  const hasLimit = limitUsd !== undefined;
  const isComplete = mode === 'prepaid' ? !hasLimit : mode !== 'invoiced' || hasLimit;
  if (mode === undefined || chosen.length > 1 || !isComplete)
    throw mistake(
      'billing: expected --by-volume with an optional --credit-limit USD, --invoiced with --credit-limit USD, or --prepaid',
    );
  const isNone = !hasLimit || (mode === 'by_volume' && parseUsd(String(limitUsd)) === 0n);
  const creditLimit = isNone ? 0n : readAmount('--credit-limit', limitUsd);
  return operation(
    { operation: 'setBilling', account, body: { mode, credit_limit_usd: printUsd(creditLimit) } },
    async (_set, ask) => (await ask({ kind: 'money.balance', account })) as Balance,
    describeBalance,
  );
}

const INVOICE_NUMBER = /^[1-9]\d{0,14}$/;

function listInvoices({ options }: Given): Action {
  const { account } = options;
  const query = readPage(options, (id) => INVOICE_NUMBER.test(id));
  const list = 'invoices';
  if (typeof account === 'string')
    return {
      ...operation(
        { operation: 'listInvoices', account, query },
        ({ invoices, ...next }) => ({ invoices: invoices.map((one) => showListed(one, account)), ...next }),
        describeInvoices,
      ),
      list,
    };
  const showOperated = (one: OperatedInvoice) => showListed(one, one.account_name);
  return {
    ...operation(
      { operation: 'listAllInvoices', query },
      ({ invoices, ...next }) => ({ invoices: invoices.map(showOperated), ...next }),
      describeInvoices,
    ),
    list,
  };
}

function showListed(invoice: ListedInvoice, account: string) {
  return {
    number: invoice.number,
    account,
    month: invoice.month,
    issued_at: invoice.issued_at,
    due_on: invoice.due_on,
    total_usd: invoice.total_usd,
    credited_usd: invoice.credited_usd,
    outstanding_usd: invoice.outstanding_usd,
  };
}

type InvoicePage = {
  readonly invoices: readonly ReturnType<typeof showListed>[];
  readonly next_cursor?: string;
};

function describeInvoices({ invoices, next_cursor: cursor }: InvoicePage): string {
  return pageOf(INVOICE_COLUMNS, invoices, { ifEmpty: 'No invoices.\n', cursor });
}

function describeInvoice({ invoice, credit_notes, credited_usd, outstanding_usd }: InvoiceDetails): string {
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
  const credit =
    invoice.service_credit_percent === 0
      ? []
      : [
          [
            `refunded (${invoice.service_credit_percent} % for availability)`,
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
  return `${about}${parties.join('')}${tableOf(LINE_COLUMNS, lines)}\n${textTable(['', ''], totals, ['']).trimStart()}Availability of the wallet service: ${invoice.availability_percent} %\n${pay}`;
}

const MOST_NOTICES = 5;

/** Without options the command shows the amounts. */
function setNotices({ words: [account = ''], options, lists: { below } }: Given): Action {
  if (options.none === true && below !== undefined)
    throw mistake('notices: expected either --below USD or --none, got both');
  const toResult = ({ notify_below_usd }: { readonly notify_below_usd: readonly string[] }) => ({
    account,
    notify_below_usd,
  });
  const describe = ({ notify_below_usd: amounts }: ReturnType<typeof toResult>) =>
    amounts.length === 0
      ? `The account ${account} gets no notices of a low balance.\n`
      : `The account ${account} gets a notice when it can spend less than ${amounts.map((amount) => `${amount} USD`).join(', ')}.\n`;
  if (options.none !== true && below === undefined)
    return operation({ operation: 'getBillingSettings', account }, toResult, describe);
  const amounts = (below ?? []).map((amount) => printUsd(readAmount('--below', amount)));
  if (amounts.length > MOST_NOTICES)
    throw mistake(`--below may be given ${MOST_NOTICES} times, got ${amounts.length}`);
  const body = { notify_below_usd: [...new Set(amounts)] };
  return operation({ operation: 'changeBillingSettings', account, body }, toResult, describe);
}
