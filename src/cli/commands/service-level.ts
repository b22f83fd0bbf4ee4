import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, SERVER_OPTIONS } from './options.ts';

/** The service level of the wallet service. */
export const SERVICE_LEVEL_COMMANDS = [
  {
    name: 'availability',
    group: 'Wallet service',
    summary: 'Show how available the wallet service was, and its error budget',
    details: [
      'With an account, the requests of the account that the service failed to answer count too. Without one it is the service as such.',
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
      'Its minutes do not count towards availability if it is announced early enough, as far as the month has minutes for planned work. The output says which do not.',
    ],
    args: [],
    options: [
      {
        name: 'from',
        value: 'TIME',
        summary: 'When it begins: a whole minute such as 2026-01-17T02:00Z, or 2d from now (required)',
      },
      { name: 'for', value: 'DURATION', summary: 'How long it takes, such as 90m or 2h (required)' },
      { name: 'note', value: 'TEXT', summary: 'What is done (required)' },
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
