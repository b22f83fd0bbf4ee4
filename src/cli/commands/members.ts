import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, EMAIL, SERVER_OPTIONS } from './options.ts';

/** Members and sign-in. */
export const MEMBER_COMMANDS = [
  {
    name: 'setup-link',
    group: 'Members and sign-in',
    summary: 'Create a link that makes an owner of an account (it is shown only once)',
    details: [
      'The link works once, within 24 hours, and replaces the previous one. The account is created if it does not exist.',
      'It points to the running server, or to the setting http.public_url.',
    ],
    args: [ACCOUNT],
    options: [
      {
        name: 'file',
        value: 'FILE',
        summary: 'Also write the link to this new file, which only its owner can read',
        path: 'file',
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot setup-link acme', 'keyslot setup-link acme --file link.txt'],
  },
  {
    name: 'members list',
    group: 'Members and sign-in',
    summary: 'List the members of an account',
    args: [ACCOUNT],
    options: SERVER_OPTIONS,
    examples: ['keyslot members list acme', 'keyslot members list acme --json'],
  },
  {
    name: 'members reset',
    group: 'Members and sign-in',
    summary: 'Reset the login of a member, and create a link that sets a new password',
    details: [
      'For a member who lost the password or the second factor. Both are removed, with the backup codes and the sessions, in every account. The link works once, within 24 hours, and is shown only once.',
    ],
    args: [ACCOUNT, EMAIL],
    options: SERVER_OPTIONS,
    examples: ['keyslot members reset acme ann@example.com'],
  },
] as const satisfies readonly CommandSpec[];
