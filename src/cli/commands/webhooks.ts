import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, DEVELOPMENT_OPTIONS, SERVER_OPTIONS, WEBHOOK } from './options.ts';

/** Webhooks. */
export const WEBHOOK_COMMANDS = [
  {
    name: 'webhooks list',
    group: 'Wallet service',
    summary: 'List the webhooks of an account, newest first',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot webhooks list acme'],
  },
  {
    name: 'webhooks create',
    group: 'Wallet service',
    summary: 'Create a webhook, which sends the events of an account to a URL',
    details: [
      'Prints the secret that signs events; it is shown only once. Private addresses need the setting webhooks.allowed_targets.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'name', value: 'NAME', summary: 'Name of the webhook (required)' },
      { name: 'url', value: 'URL', summary: 'Address that receives the events (required)' },
      {
        name: 'event',
        value: 'TYPE',
        summary: 'Only events of this type, such as wallet.sign or wallet.*',
        isRepeatable: true,
      },
      { name: 'ordered', summary: 'Deliver the events of each wallet in order' },
      {
        name: 'address',
        value: 'ADDRESS',
        summary: 'Also send ledger events: transactions that name this address, and changes of its balance',
        isRepeatable: true,
      },
      {
        name: 'program',
        value: 'ADDRESS',
        summary: 'Also send ledger events: transactions that name this program',
        isRepeatable: true,
      },
      {
        name: 'signature',
        value: 'SIGNATURE',
        summary: 'Also send ledger events: the outcome of this transaction',
        isRepeatable: true,
      },
      {
        name: 'network',
        value: 'NETWORK',
        summary: 'Network of the ledger events, such as solana-localnet',
        fallback: 'the first network of the server',
      },
      {
        name: 'commitment',
        value: 'COMMITMENT',
        summary: 'Commitment of a block before its events are sent',
        fallback: 'confirmed',
        values: ['confirmed', 'finalized'],
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot webhooks create acme --name billing --url https://hooks.example.com/in',
      'keyslot webhooks create acme --name in --url https://hooks.example.com/in --address "$ADDRESS"',
    ],
  },
  {
    name: 'webhooks set',
    group: 'Wallet service',
    summary: 'Turn a webhook on or off',
    details: ['When it is turned on, it continues where it stopped, and waiting events are sent at once.'],
    args: [WEBHOOK],
    options: [
      { name: 'on', summary: 'Send events' },
      { name: 'off', summary: 'Send no events' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot webhooks set 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56 --on'],
  },
  {
    name: 'webhooks rotate',
    group: 'Wallet service',
    summary: 'Replace the secret of a webhook',
    args: [WEBHOOK],
    options: [
      { name: 'overlap', value: 'TIME', summary: 'How long the old secret signs as well', fallback: '24h' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot webhooks rotate 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56 --overlap 1h'],
  },
  {
    name: 'webhooks replay',
    group: 'Wallet service',
    summary: 'Send events again, starting at a record of the audit log',
    args: [WEBHOOK],
    options: [{ name: 'from', value: 'SEQ', summary: 'The first record (required)' }, ...SERVER_OPTIONS],
    examples: ['keyslot webhooks replay 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56 --from 1'],
  },
  {
    name: 'webhooks test',
    group: 'Wallet service',
    summary: 'Send a test event to a webhook',
    args: [WEBHOOK],
    options: SERVER_OPTIONS,
    examples: ['keyslot webhooks test 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56'],
  },
  {
    name: 'webhooks delete',
    group: 'Wallet service',
    summary: 'Delete a webhook and its deliveries',
    args: [WEBHOOK],
    options: SERVER_OPTIONS,
    examples: ['keyslot webhooks delete 7c1f4a90-3b1e-4d4e-9a77-0f4f3a1d2b56'],
  },
  {
    name: 'listen',
    group: 'Wallet service',
    summary: 'Print the events of an account as they happen, or forward them',
    details: [
      'These are the events that webhooks deliver. Forwarded events are signed according to Standard Webhooks 1.0, with a secret that is printed at the start. Failed ones are not sent again.',
      'The access token needs the scope audit:read. To hide it from other users of the machine, give it in KEYSLOT_TOKEN.',
    ],
    args: [],
    options: [
      {
        name: 'url',
        value: 'URL',
        summary: 'Base URL of the server',
        fallback: 'from dev.json in the data directory',
      },
      { name: 'token', value: 'TOKEN', summary: 'Access token', fallback: 'from dev.json' },
      { name: 'forward', value: 'URL', summary: 'Send each event to this address, signed' },
      {
        name: 'event',
        value: 'TYPE',
        summary: 'Only events of this type, such as wallet.sign or wallet.*',
        isRepeatable: true,
      },
      {
        name: 'from',
        value: 'SEQ',
        summary: 'Start with this record of the audit log',
        fallback: 'the next one',
      },
      ...DEVELOPMENT_OPTIONS,
      { name: 'json', summary: 'Print the body of each event as one line of JSON' },
    ],
    examples: ['keyslot listen', 'keyslot listen --forward http://127.0.0.1:3000/hook --event "wallet.*"'],
  },
] as const satisfies readonly CommandSpec[];
