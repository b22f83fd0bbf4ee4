import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, SERVER_OPTIONS } from './options.ts';

/** The service level of the wallet service. */
export const SERVICE_LEVEL_COMMANDS = [
  {
    name: 'availability',
    group: 'Wallet service',
    summary: 'Show the availability of the wallet service, and its error budget',
    details: [
      'With an account, requests of that account that the service failed to answer count as well. Without one, the command shows the service as a whole.',
    ],
    args: [{ ...ACCOUNT, isOptional: true }],
    options: SERVER_OPTIONS,
    examples: ['keyslot availability', 'keyslot availability acme --json'],
  },
  {
    name: 'planned-work list',
    group: 'Wallet service',
    summary: 'List planned work on the server',
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot planned-work list'],
  },
  {
    name: 'planned-work announce',
    group: 'Wallet service',
    summary: 'Announce work on the server to all accounts',
    details: [
      'If the work is announced early enough, its minutes do not count towards availability, up to the allowance of the month for planned work. The output shows which do not count.',
    ],
    args: [],
    options: [
      {
        name: 'from',
        value: 'TIME',
        summary: 'Start: a whole minute such as 2026-01-17T02:00Z, or a time from now such as 2d (required)',
      },
      { name: 'for', value: 'DURATION', summary: 'Duration, such as 90m or 2h (required)' },
      { name: 'note', value: 'TEXT', summary: 'Description, which all accounts can read (required)' },
      ...SERVER_OPTIONS,
    ],
    examples: ["keyslot planned-work announce --from 2026-01-17T02:00Z --for 2h --note 'New database'"],
  },
  {
    name: 'planned-work cancel',
    group: 'Wallet service',
    summary: 'Cancel planned work before it begins',
    args: [{ name: 'ID', summary: 'Id of the work, as keyslot planned-work list shows it' }],
    options: SERVER_OPTIONS,
    examples: ['keyslot planned-work cancel 8c1d4f7e-2b6a-4f0d-9e35-6a7b8c9d0e1f'],
  },
] as const satisfies readonly CommandSpec[];
