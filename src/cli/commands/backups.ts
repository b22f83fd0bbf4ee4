import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { SERVER_OPTIONS } from './options.ts';

const IDENTITY: OptionSpec = {
  name: 'key',
  value: 'FILE',
  summary: 'The file with the key that opens the backup (required)',
  path: 'file',
};

/** Copies of an installation. */
export const BACKUP_COMMANDS = [
  {
    name: 'backup key',
    group: 'Backups',
    summary: 'Make the key that opens backups, and print its public part',
    details: ['Keep the file apart from the server. Who has it and a backup has everything.'],
    args: [{ name: 'FILE', summary: 'New file, which only you can read' }],
    options: [{ name: 'json', summary: 'Print the result as one line of JSON' }],
    examples: ['keyslot backup key backup-key.txt'],
  },
  {
    name: 'backup create',
    group: 'Backups',
    summary: 'Write the whole installation into one encrypted file, while its server runs',
    details: [
      'Holds the store, the file of audit heads, the installation key and the files of the signer. A master key in a file of its own (hsm.soft.master_key_file) and keys in a token are not in it.',
      'The file is in the format of age (https://age-encryption.org). With users of their own for gateway and signer, root runs it.',
    ],
    args: [{ name: 'FILE', summary: 'New file' }],
    options: [
      {
        name: 'recipient',
        value: 'AGE1...',
        summary: 'Public key that the backup is encrypted to, in place of backup.recipients',
        isRepeatable: true,
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot backup create /backups/keyslot-2026-01-31.age --recipient age1...'],
  },
  {
    name: 'backup verify',
    group: 'Backups',
    summary: 'Restore a backup into a scratch place and verify it',
    details: [
      'Compares the rows of every table with what was read, and verifies the audit log, the books and the records of destroyed keys. The exit code is 1 when something is wrong. No secret key is written to the disk.',
    ],
    args: [{ name: 'FILE', summary: 'The backup' }],
    options: [
      IDENTITY,
      {
        name: 'scratch',
        value: 'DIR',
        summary: "Directory for the scratch place, in place of the system's for temporary files",
        path: 'directory',
      },
      { name: 'json', summary: 'Print the result as one line of JSON' },
    ],
    examples: ['keyslot backup verify /backups/keyslot-2026-01-31.age --key backup-key.txt'],
  },
  {
    name: 'restore',
    group: 'Backups',
    summary: 'Restore a backup into a data directory and a store that are empty',
    details: [
      'The store is the embedded one, or the PostgreSQL of the settings, whichever the backup was made of. It is verified before it gets its place. Nothing is overwritten.',
      'Read docs/operate.md, "Restore", first: keys that were destroyed since the backup.',
    ],
    args: [{ name: 'FILE', summary: 'The backup' }],
    options: [
      IDENTITY,
      {
        name: 'files-only',
        summary: 'Restore the files of the data directory only, beside a PostgreSQL that is still there',
      },
      ...SERVER_OPTIONS,
    ],
    examples: [
      'keyslot restore /backups/keyslot-2026-01-31.age --key backup-key.txt --data-dir /var/lib/keyslot',
    ],
  },
  {
    name: 'store move',
    group: 'Backups',
    summary: 'Move the store into a PostgreSQL',
    details: [
      'No server may be running. Counts, audit log and books are verified before the new store gets its place; set KEYSLOT_DATABASE_URL before the next start. The files of an embedded store are kept as store.moved.',
      'A password can be given in KEYSLOT_MOVE_TO in place of --to, where other users of the machine cannot list it.',
    ],
    args: [],
    options: [
      { name: 'to', value: 'URL', summary: 'Address of the PostgreSQL, without tables of Keyslot' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot store move --to postgres://keyslot@db.example/keyslot'],
  },
] as const satisfies readonly CommandSpec[];
