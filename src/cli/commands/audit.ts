import { AUDIT_ACTIONS } from '../../../generated/account/events.ts';
import type { CommandSpec } from '../command-spec.ts';
import { ACCOUNT, SERVER_OPTIONS, LIST_OPTIONS } from './options.ts';

/** The audit log. */
export const AUDIT_COMMANDS = [
  {
    name: 'audit list',
    group: 'Wallet service',
    summary: 'List the records of the audit log of an account, newest first',
    details: [
      'With --json and --jsonl each record has its hash and the previous one. With --since or --until records are ordered by time, otherwise by the chain.',
    ],
    args: [ACCOUNT],
    options: [
      { name: 'action', value: 'ACTION', summary: `Only ${AUDIT_ACTIONS.join(', ')}`, values: AUDIT_ACTIONS },
      {
        name: 'outcome',
        value: 'OUTCOME',
        summary: 'Only ok, replayed, interrupted, or the code of an error such as scope_missing',
      },
      { name: 'wallet', value: 'ID', summary: 'Only records of this wallet' },
      { name: 'token', value: 'ID', summary: 'Only records of this access token' },
      ...LIST_OPTIONS,
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot audit list acme --action destroy --since 7d',
      'keyslot audit list acme --jsonl > audit.jsonl',
    ],
  },
  {
    name: 'audit verify',
    group: 'Wallet service',
    summary: 'Check the audit log for changes, gaps and forged signatures',
    details: ['The exit code is 1 when the log is not intact.'],
    args: [],
    options: [
      { name: 'account', value: 'NAME', summary: 'Only the records of this account' },
      {
        name: 'public-key',
        value: 'HEX',
        summary: 'Public key that the heads were signed with',
        fallback: "the running server's key",
        isRepeatable: true,
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot audit verify', 'keyslot audit verify --account acme --json'],
  },
] as const satisfies readonly CommandSpec[];
