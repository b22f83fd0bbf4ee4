import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, DEVELOPMENT_OPTIONS, OF_ACCOUNT, PAGE_OPTIONS, SERVER_OPTIONS } from './options.ts';

const NUMBER = { name: 'NUMBER', summary: 'Number of the invoice, such as INV-000042' };

/** How accounts pay, and their invoices. */
export const BILLING_COMMANDS = [
  {
    name: 'billing',
    group: 'Billing',
    summary: 'Set or show how an account pays',
    details: [
      'By volume, an account pays from its balance, and is invoiced once a UTC month costs more than 1,000 USD, if it has a credit limit. It returns to its balance when two months in a row cost less. Without options the command shows how the account pays, with its balance and credit limit.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'by-volume', summary: 'The account is invoiced when a month costs enough, else prepaid' },
      { name: 'invoiced', summary: 'The account is always invoiced, within --credit-limit' },
      { name: 'prepaid', summary: 'The account always pays from its balance' },
      {
        name: 'credit-limit',
        value: 'USD',
        summary: 'How far below 0 the balance may go while the account is invoiced',
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
    summary: 'Show an invoice, its credit notes and what is left to pay',
    args: [NUMBER],
    options: [{ name: 'csv', summary: 'Print it as CSV' }, ...SERVER_OPTIONS],
    examples: ['keyslot invoices show INV-000042', 'keyslot invoices show INV-000042 --csv'],
  },
  {
    name: 'invoices credit',
    group: 'Billing',
    summary: 'Give back a part of an invoice, by a credit note',
    details: ['The amount is added to the balance of the account and pays the oldest of what it owes.'],
    args: [NUMBER, { name: 'AMOUNT_USD', summary: 'Amount in USD, such as 25 or 0.50' }],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'Why, for the account (required)' },
      {
        name: 'reference',
        value: 'TEXT',
        summary: 'Name of this correction; the invoice gets it once',
        fallback: 'another one each time',
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
    summary: 'Set or show below which amounts an account gets a notice',
    details: [
      'When the account can spend less than an amount, the event account.balance.low is recorded, once until it can spend as much again.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'below', value: 'USD', summary: 'An amount', isRepeatable: true },
      { name: 'none', summary: 'It is never told' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot notices acme --below 100 --below 20', 'keyslot notices acme'],
  },
  {
    name: 'bill fetch',
    group: 'Billing',
    summary: 'Download an invoice with the signed records of its charges',
    details: [
      'The file is what keyslot bill verify recomputes the invoice from. The access token needs the scopes billing:read and audit:read; it can be given in KEYSLOT_TOKEN instead, where other users of the machine cannot list it.',
      'Until the file is whole it is named FILE.part. After an interruption, run the command again: it goes on where it was.',
    ],
    args: [NUMBER, { name: 'FILE', summary: 'File to write' }],
    options: [
      {
        name: 'url',
        value: 'URL',
        summary: 'Base URL of the server',
        fallback: 'that of dev.json in the data directory',
      },
      { name: 'token', value: 'TOKEN', summary: 'Access token', fallback: 'that of dev.json' },
      ...DEVELOPMENT_OPTIONS,
    ],
    examples: ['keyslot bill fetch INV-000042 january.bill --url https://keyslot.example'],
  },
  {
    name: 'bill verify',
    group: 'Billing',
    summary: 'Recompute an invoice from the signed records of its charges',
    details: [
      'Nothing is asked of a server. Every record, signature and price is checked, and each difference is named. The exit code is 1 when there is one.',
    ],
    args: [{ name: 'FILE', summary: 'File that keyslot bill fetch or the dashboard wrote' }],
    options: [
      {
        name: 'public-key',
        value: 'HEX',
        summary: 'Key that the operator signs heads with',
        fallback: 'any, which is printed',
        isRepeatable: true,
      },
      { name: 'json', summary: 'Print the result as one line of JSON' },
    ],
    examples: ['keyslot bill verify january.bill --public-key "$KEY"'],
  },
] as const satisfies readonly CommandSpec[];
