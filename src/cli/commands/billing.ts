import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, DEVELOPMENT_OPTIONS, OF_ACCOUNT, PAGE_OPTIONS, SERVER_OPTIONS } from './options.ts';

const NUMBER = { name: 'NUMBER', summary: 'Number of the invoice, such as INV-000042' };

/** Billing of accounts, and their invoices. */
export const BILLING_COMMANDS = [
  {
    name: 'billing',
    group: 'Billing',
    summary: 'Set or show how an account pays',
    details: [
      'By volume, an account pays from its balance, and is invoiced once a UTC month costs more than 1,000 USD, if it has a credit limit. It pays from its balance again after two months in a row that cost less. Without options the command shows how the account pays, with its balance and credit limit.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'by-volume', summary: 'Invoice the account when a month costs enough, otherwise prepaid' },
      { name: 'invoiced', summary: 'Always invoice the account, within --credit-limit' },
      { name: 'prepaid', summary: 'Always pay from the balance' },
      {
        name: 'credit-limit',
        value: 'USD',
        summary: 'How far below 0 the balance of an invoiced account may go',
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot billing acme --by-volume --credit-limit 5000',
      'keyslot billing acme --invoiced --credit-limit 5000',
      'keyslot billing acme --prepaid',
      'keyslot billing acme',
    ],
  },
  {
    name: 'invoices list',
    group: 'Billing',
    summary: 'List invoices, newest first',
    args: [],
    options: [OF_ACCOUNT, ...PAGE_OPTIONS, ...SERVER_OPTIONS],
    examples: ['keyslot invoices list', 'keyslot invoices list --account acme --jsonl'],
  },
  {
    name: 'invoices show',
    group: 'Billing',
    summary: 'Show an invoice, its credit notes and the amount left to pay',
    args: [NUMBER],
    options: [{ name: 'csv', summary: 'Print it as CSV' }, ...SERVER_OPTIONS],
    examples: ['keyslot invoices show INV-000042', 'keyslot invoices show INV-000042 --csv'],
  },
  {
    name: 'invoices credit',
    group: 'Billing',
    summary: 'Refund a part of an invoice with a credit note',
    details: ['The amount is added to the balance of the account and pays its oldest debts first.'],
    args: [NUMBER, { name: 'AMOUNT_USD', summary: 'Amount in USD, such as 25 or 0.50' }],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'Reason, which the account can read (required)' },
      {
        name: 'reference',
        value: 'TEXT',
        summary: 'Your name for this correction, which is applied only once',
        fallback: 'a new one each time',
      },
      ...SERVER_OPTIONS,
    ],
    examples: ["keyslot invoices credit INV-000042 12.50 --reason 'signatures of a test run'"],
  },
  {
    name: 'statements',
    group: 'Billing',
    summary: 'Show what an account deposited and was charged in each month',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot statements acme'],
  },
  {
    name: 'notices',
    group: 'Billing',
    summary: 'Set or show the amounts below which an account gets a notice',
    details: [
      'When the account can spend less than an amount, the event account.balance.low is recorded, once until it can spend that much again.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'below', value: 'USD', summary: 'An amount', isRepeatable: true },
      { name: 'none', summary: 'Send no notices' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot notices acme --below 100 --below 20', 'keyslot notices acme'],
  },
  {
    name: 'bill fetch',
    group: 'Billing',
    summary: 'Download an invoice with the signed records of its charges',
    details: [
      'keyslot bill verify recomputes the invoice from this file. The access token needs the scopes billing:read and audit:read. To hide it from other users of the machine, give it in KEYSLOT_TOKEN.',
      'An unfinished file is named FILE.part. After an interruption, run the command again: it continues where it stopped.',
    ],
    args: [NUMBER, { name: 'FILE', summary: 'File to write' }],
    options: [
      {
        name: 'url',
        value: 'URL',
        summary: 'Base URL of the server',
        fallback: 'from dev.json in the data directory',
      },
      { name: 'token', value: 'TOKEN', summary: 'Access token', fallback: 'from dev.json' },
      ...DEVELOPMENT_OPTIONS,
    ],
    examples: ['keyslot bill fetch INV-000042 january.bill --url https://keyslot.example'],
  },
  {
    name: 'bill verify',
    group: 'Billing',
    summary: 'Recompute an invoice from the signed records of its charges',
    details: [
      'This needs no server. Every record, signature and price is checked, and each difference is shown. The exit code is 1 when something differs.',
    ],
    args: [{ name: 'FILE', summary: 'File from keyslot bill fetch or the dashboard' }],
    options: [
      {
        name: 'public-key',
        value: 'HEX',
        summary: 'Public key that the operator signs heads with',
        fallback: 'any, which is printed',
        isRepeatable: true,
      },
      { name: 'json', summary: 'Print the result as one line of JSON' },
    ],
    examples: ['keyslot bill verify january.bill --public-key "$KEY"'],
  },
] as const satisfies readonly CommandSpec[];
