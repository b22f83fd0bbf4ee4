import type { CommandSpec } from '../command-spec.ts';
import { SERVER_OPTIONS } from './options.ts';

/** Key storage. */
export const KEY_STORAGE_COMMANDS = [
  {
    name: 'signer rotate-master',
    group: 'Key storage',
    summary: 'Re-encrypt the key of every managed wallet under a new master key',
    details: ['The server keeps serving. The next run continues an interrupted one.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot signer rotate-master'],
  },
  {
    name: 'signer adopt',
    group: 'Key storage',
    summary: 'Make the store accept the signer of the data directory instead of its own',
    details: ['Stop all servers and read docs/security.md, "Another signer", first.'],
    args: [],
    options: SERVER_OPTIONS,
    examples: ['keyslot signer adopt --data-dir /var/lib/keyslot'],
  },
  {
    name: 'hsm check',
    group: 'Key storage',
    summary: 'Check that the configured key backend works',
    details: ['Creates keys in the backend and destroys them. The exit code is 1 when a check fails.'],
    args: [],
    options: [
      {
        name: 'config',
        value: 'FILE',
        summary: 'Configuration file, as given to keyslot serve',
        path: 'file',
      },
      { name: 'json', summary: 'Print the report as JSON' },
    ],
    examples: ['keyslot hsm check', 'keyslot hsm check --config keyslot.yaml --json'],
  },
] as const satisfies readonly CommandSpec[];
