import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, PAGE_OPTIONS, SERVER_OPTIONS } from './options.ts';

/** Accounts, and their requests for higher limits. */
export const ACCOUNT_COMMANDS = [
  {
    name: 'accounts create',
    group: 'Accounts',
    summary: 'Create an account, without keys and tokens',
    args: [{ name: 'NAME', summary: 'Name of the account' }],
    options: [
      { name: 'plan', value: 'PLAN', summary: 'Its plan', fallback: 'the default plan' },
      { name: 'operator', summary: 'Let the account operate this server' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot accounts create acme --plan production', 'keyslot accounts create staff --operator'],
  },
  {
    name: 'accounts list',
    group: 'Accounts',
    summary: 'List the accounts, newest first, with their plans',
    args: [],
    options: [...PAGE_OPTIONS, ...SERVER_OPTIONS],
    examples: ['keyslot accounts list', 'keyslot accounts list --jsonl'],
  },
  {
    name: 'accounts operator',
    group: 'Accounts',
    summary: 'Set or show whether an account operates this server',
    details: [
      'Only tokens of an account that operates the server can have the scopes operator:read, operator:manage and operator:payments, and the scopes count only while it does. Without options the command shows the setting.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'on', summary: 'Let the account operate this server' },
      { name: 'off', summary: 'Stop that; operator scopes no longer count' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot accounts operator staff --on', 'keyslot accounts operator staff'],
  },
  {
    name: 'accounts params',
    group: 'Accounts',
    summary: 'Keep the params of the ledger calls of an account for an hour',
    details: [
      'The log of requests (keyslot requests) then has the params of calls to the ledger, up to 4,096 characters each; never a result, and nothing of the wallet service. The audit log of the account has a record of it.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'on', summary: 'Keep them for an hour from now' },
      { name: 'off', summary: 'Stop that' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot accounts params acme --on', 'keyslot accounts params acme --off'],
  },
  {
    name: 'limits requests',
    group: 'Accounts',
    summary: 'List open requests for higher limits, newest first',
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot limits requests'],
  },
  {
    name: 'limits grant',
    group: 'Accounts',
    summary: 'Grant a request for a higher limit and set the limit',
    args: [{ name: 'ID', summary: 'Id of the request, as keyslot limits requests shows it' }],
    options: SERVER_OPTIONS,
    examples: ['keyslot limits grant 4f8b1d0e-0000-4000-8000-000000000000'],
  },
  {
    name: 'limits refuse',
    group: 'Accounts',
    summary: 'Refuse a request for a higher limit',
    args: [{ name: 'ID', summary: 'Id of the request, as keyslot limits requests shows it' }],
    options: [
      { name: 'reason', value: 'TEXT', summary: 'Reason, which the account can read (required)' },
      ...SERVER_OPTIONS,
    ],
    examples: ["keyslot limits refuse 4f8b1d0e-0000-4000-8000-000000000000 --reason 'ask again in May'"],
  },
] as const satisfies readonly CommandSpec[];
