import { SCOPES } from '../../account/identity/tokens/scopes.ts';
import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, OF_ACCOUNT, SERVER_OPTIONS, LIST_OPTIONS } from './options.ts';

/** The wallet service: tokens, money, limits, the second factor. */
export const WALLET_COMMANDS = [
  {
    name: 'tokens create',
    group: 'Wallet service',
    summary: 'Create an access token (it is shown only once)',
    args: [],
    options: [
      {
        name: 'scope',
        value: 'SCOPE',
        summary: `Operations that the token allows (at least one is required): ${SCOPES.join(', ')}`,
        isRepeatable: true,
        values: SCOPES,
      },
      { name: 'name', value: 'TEXT', summary: 'Purpose of the token', fallback: 'unnamed' },
      {
        name: 'account',
        value: 'NAME',
        summary: 'Account that owns the token; created if it does not exist',
        fallback: 'default',
      },
      {
        name: 'expires',
        value: 'DURATION',
        summary: 'How long the token is valid, such as 12h or 90d',
        fallback: 'no expiry',
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot tokens create --account acme --scope wallets:create --scope wallets:read --expires 90d',
    ],
  },
  {
    name: 'tokens list',
    group: 'Wallet service',
    summary: 'List access tokens (secrets are never shown)',
    args: [],
    options: [OF_ACCOUNT, ...SERVER_OPTIONS],
    examples: ['keyslot tokens list --account acme'],
  },
  {
    name: 'tokens revoke',
    group: 'Wallet service',
    summary: 'Revoke an access token, immediately and permanently',
    args: [{ name: 'ID', summary: 'Id of the token, as keyslot tokens list shows it' }],
    options: SERVER_OPTIONS,
    examples: ['keyslot tokens revoke 4f8b1d0e-0000-4000-8000-000000000000'],
  },
  {
    name: 'balance',
    group: 'Wallet service',
    summary: 'Show the available, reserved and charged amounts of an account',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot balance acme'],
  },
  {
    name: 'credit',
    group: 'Wallet service',
    summary: 'Add money to the balance of an account',
    args: [
      ACCOUNT,
      { name: 'AMOUNT_USD', summary: 'Amount in USD, such as 25 or 0.50; -25 takes credit back' },
    ],
    options: [{ name: 'note', value: 'TEXT', summary: 'Note to keep with the booking' }, ...SERVER_OPTIONS],
    examples: ["keyslot credit acme 25 --note 'invoice 7'", 'keyslot credit acme -0.50'],
  },
  {
    name: 'entries',
    group: 'Wallet service',
    summary: 'List the entries of the books of an account, newest first',
    details: [
      'An entry is a credit, a test_credit, a reserve, a charge or a refund. AMOUNT is the change of the balance, and BALANCE the balance after it, which is empty if it did not change. The books do not contain request ids.',
    ],
    args: [ACCOUNT],
    options: [...LIST_OPTIONS, ...SERVER_OPTIONS],
    examples: [
      'keyslot entries acme',
      'keyslot entries acme --since 2025-01-01 --until 2025-02-01 --jsonl > january.jsonl',
    ],
  },
  {
    name: 'wallet-limit',
    group: 'Wallet service',
    summary: "Set or show an account's rate limit for creating wallets",
    details: ['Without options the command shows the limit.'],
    args: [ACCOUNT],
    options: [
      { name: 'per-minute', value: 'N', summary: 'Calls per minute: 1 to 1000000' },
      { name: 'default', summary: 'Return to the limit of the specification' },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot wallet-limit acme --per-minute 5000',
      'keyslot wallet-limit acme --default',
      'keyslot wallet-limit acme',
    ],
  },
  {
    name: 'wallet-use-limit',
    group: 'Wallet service',
    summary: "Set or show an account's rate limit for using wallets",
    details: [
      'It counts requests that fetch, sign with or destroy wallets. Without options the command shows the limit.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'per-second', value: 'N', summary: 'Calls per second: 1 to 1000000' },
      { name: 'default', summary: "Return to the limit of the account's plan" },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot wallet-use-limit acme --per-second 500',
      'keyslot wallet-use-limit acme --default',
      'keyslot wallet-use-limit acme',
    ],
  },
  {
    name: 'two-factor enrol',
    group: 'Wallet service',
    summary: 'Add a second factor to an account (its secret is shown only once)',
    details: ['Without a second factor an account cannot destroy wallets.'],
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot two-factor enrol acme'],
  },
  {
    name: 'two-factor remove',
    group: 'Wallet service',
    summary: 'Remove the second factor of an account',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot two-factor remove acme'],
  },
  {
    name: 'two-factor unlock',
    group: 'Wallet service',
    summary: 'Unlock the second factor of an account after wrong codes',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot two-factor unlock acme'],
  },
] as const satisfies readonly CommandSpec[];
