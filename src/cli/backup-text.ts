import type { BackupResult } from '../backup/create-backup.ts';
import type { MoveResult } from '../backup/move-store.ts';
import type { RestoreResult } from '../backup/restore-backup.ts';
import type { BackupVerdict } from '../backup/verify-backup.ts';
import type { CopyCheck } from '../backup/verify-copy.ts';

/** The text of `keyslot backup key` for people. */
export function describeKey({
  file,
  recipient,
}: {
  readonly file: string;
  readonly recipient: string;
}): string {
  return `${file} opens backups that are encrypted to

  ${recipient}

Keep the file apart from the server, and name the recipient in backup.recipients (KEYSLOT_BACKUP_RECIPIENTS).
`;
}

/** The text of `keyslot backup create` for people. */
export function describeBackup({ file, bytes, rows, tables, files }: BackupResult): string {
  const master = files.includes('signer/master.key')
    ? 'It holds the master key of managed wallets.'
    : 'It holds no master key of managed wallets: keep that in a backup of its own.';
  return `${file}: ${bytes} bytes, ${rows} rows of ${tables} tables and ${files.length} files.
${master}
Verify it: keyslot backup verify ${file} --key FILE
`;
}

/** The text of `keyslot backup verify` for people. */
export function describeVerdict({ is_sound, made_at, version, store, rows, checks }: BackupVerdict): string {
  return `Made at ${made_at} by Keyslot ${version}, of ${store === 'pglite' ? 'an embedded store' : 'a PostgreSQL'}.
  ok      rows: ${rows}, as many in each table as were read
${checks.map(line).join('')}${is_sound ? 'The backup is sound.' : 'The backup is NOT sound.'}
`;
}

/** The text of `keyslot restore` for people. */
export function describeRestore({
  data_dir,
  made_at,
  version,
  migrated,
  rows,
  checks,
  kept_heads_file,
  files_only,
}: RestoreResult): string {
  if (files_only)
    return `The files of ${data_dir} are as they were at ${made_at}; the PostgreSQL is as it was. If it knows of destroyed keys that the signer does not, the start says so: see keyslot signer adopt.\n`;
  const kept = kept_heads_file
    ? 'The file of audit heads outside the data directory was there, and is kept.\n'
    : '';
  const isNewer = migrated
    ? `The tables were migrated from those of Keyslot ${version}, which does not start on them: to go back to it, restore with it.\n`
    : '';
  return `${data_dir} is as it was at ${made_at}: ${rows} rows.
${checks.map(line).join('')}${isNewer}${kept}What was done since then is lost. Keys that were destroyed since could be used again: destroy them before you let anyone in.
`;
}

/** The text of `keyslot store move` for people. */
export function describeMove({ rows, tables, checks, old_store }: MoveResult): string {
  const old =
    old_store === null
      ? 'The old store is as it was.'
      : `The old store is kept in ${old_store}; delete it when you no longer need it.`;
  return `${rows} rows of ${Object.keys(tables).length} tables were moved.
${checks.map(line).join('')}Set KEYSLOT_DATABASE_URL to the new address before you start the server. ${old}
`;
}

const line = ({ name, ok, detail }: CopyCheck): string =>
  `  ${ok ? 'ok    ' : 'FAILED'}  ${name}: ${detail}\n`;
