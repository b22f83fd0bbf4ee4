import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { SERVER_OPTIONS } from './options.ts';

const IDENTITY: OptionSpec = {
  name: 'key',
  value: 'FILE',
  summary: 'File with the key that opens the backup (required)',
  path: 'file',
};

/** Copies of an installation. */
export const BACKUP_COMMANDS = [
  {
    name: 'backup key',
    group: 'Backups',
    summary: 'Create the key that opens backups, and print its public part',
    details: ['Keep the file apart from the server. Anyone with this file and a backup has everything.'],
    args: [{ name: 'FILE', summary: 'New file, which only you can read' }],
    options: [{ name: 'json', summary: 'Print the result as one line of JSON' }],
    examples: ['keyslot backup key backup-key.txt'],
  },
  {
    name: 'backup create',
    group: 'Backups',
    summary: 'Write the whole installation into one encrypted file, while its server runs',
    details: [
      'It contains the store, the file of audit heads, the installation key and the files of the signer, but no master key in a file of its own (hsm.soft.master_key_file) and no keys in an HSM token.',
      'The file has the age format (https://age-encryption.org). If gateway and signer have their own users, run it as root.',
    ],
    args: [{ name: 'FILE', summary: 'New file' }],
    options: [
      {
        name: 'recipient',
        value: 'AGE1...',
        summary: 'Public key to encrypt the backup to, instead of backup.recipients',
        isRepeatable: true,
      },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot backup create /backups/keyslot-2026-01-31.age --recipient age1...'],
  },
  {
    name: 'backup verify',
    group: 'Backups',
    summary: 'Restore a backup into a scratch directory and verify it',
    details: [
      'It compares the rows of every table, and verifies the audit log, the books and the records of destroyed keys. The exit code is 1 when something is wrong. No secret key is written to the disk.',
    ],
    args: [{ name: 'FILE', summary: 'The backup' }],
    options: [
      IDENTITY,
      {
        name: 'scratch',
        value: 'DIR',
        summary: "Parent of the scratch directory, instead of the system's temporary directory",
        path: 'directory',
      },
      { name: 'json', summary: 'Print the result as one line of JSON' },
    ],
    examples: ['keyslot backup verify /backups/keyslot-2026-01-31.age --key backup-key.txt'],
  },
  {
    name: 'restore',
    group: 'Backups',
    summary: 'Restore a backup into an empty data directory and store',
    details: [
      'The store is the embedded one, or the PostgreSQL database of the settings, from whichever the backup was made. It is verified before it is put in place. Nothing is overwritten.',
      'First read docs/operate.md, "Restore", on keys that were destroyed since the backup.',
    ],
    args: [{ name: 'FILE', summary: 'The backup' }],
    options: [
      IDENTITY,
      {
        name: 'files-only',
        summary: 'Restore only the files of the data directory, when the PostgreSQL database still exists',
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
    summary: 'Move the store to PostgreSQL',
    details: [
      'Stop all servers first. Counts, audit log and books are verified before the new store is put in place. Set KEYSLOT_DATABASE_URL before the next start. The files of an embedded store are kept as store.moved.',
      'To hide a password from other users of the machine, give the address in KEYSLOT_MOVE_TO instead of --to.',
    ],
    args: [],
    options: [
      { name: 'to', value: 'URL', summary: 'Address of a PostgreSQL database without Keyslot tables' },
      ...SERVER_OPTIONS,
    ],
    examples: ['keyslot store move --to postgres://keyslot@db.example/keyslot'],
  },
] as const satisfies readonly CommandSpec[];
