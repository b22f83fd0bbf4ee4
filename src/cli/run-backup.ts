import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../generated/config.ts';
import { newBackupKey, readIdentities } from '../operate/backup/age-file.ts';
import { createBackup, type BackupResult } from '../operate/backup/create-backup.ts';
import { moveStore, type MoveResult } from '../operate/backup/move-store.ts';
import { readLines } from '../operate/backup/read-lines.ts';
import { restoreBackup, type RestoreResult } from '../operate/backup/restore-backup.ts';
import { verifyBackup, type BackupVerdict } from '../operate/backup/verify-backup.ts';
import { systemClock } from '../core/clock.ts';
import { serviceError } from '../core/service-error.ts';
import type { Terminal } from '../core/terminal.ts';
import { headsFileOf, loadConfig } from '../core/config/load-config.ts';
import { hasOwnMasterKey } from '../signer/settings.ts';
import { enterGatewayUser, findReadingUsers } from '../serve/start-users.ts';
import type { Invocation } from './parse-command-line.ts';
import type { OptionValues } from './read-arguments.ts';
import { readVersion } from '../core/version.ts';
import type { CopyCheck } from '../operate/backup/verify-copy.ts';

/** Files and directories are created for this user only. */
const PRIVATE = 0o077;

const log = pino({ level: 'fatal' }, pino.destination({ dest: 2, sync: true }));

/** `keyslot backup key`. @throws ServiceError `copyRefused` if the file exists. */
export async function makeBackupKey(
  { words: [file = ''], options }: Invocation,
  terminal: Terminal,
): Promise<void> {
  const { identity, recipient } = await newBackupKey();
  const text = `# opens Keyslot backups that are encrypted to ${recipient}\n${identity}\n`;
  await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true }).catch((error: Error) => {
    throw serviceError('copyRefused', { where: file, reason: error.message }, error);
  });
  print(options, terminal, { file, recipient }, describeKey);
}

/** `keyslot backup create`. @throws ServiceError of `createBackup`. */
export async function makeBackup(invocation: Invocation, terminal: Terminal): Promise<void> {
  const {
    words: [file = ''],
    options,
    lists,
  } = invocation;
  process.umask(PRIVATE);
  const config = configOf(options, terminal);
  const recipients = lists.recipient ?? config.backup.recipients;
  if (recipients.length === 0)
    throw serviceError('invalidCommand', {
      reason:
        'missing a recipient: create one with keyslot backup key FILE, then give --recipient or set backup.recipients',
    });
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  const job = {
    store: { dataDir, databaseUrl },
    headsFile: headsFileOf(config),
    version: readVersion(),
    hasKeyApart: config.installation_key_file !== undefined,
    atMs: systemClock.nowMs(),
  };
  const result = await createBackup({
    file,
    recipients,
    job,
    hasOwnMasterKey: hasOwnMasterKey(config.hsm),
    users: findReadingUsers(config),
  });
  print(options, terminal, result, describeBackup);
}

/** `keyslot backup verify`. @returns the exit code: 1 for a backup that is not sound. @throws ServiceError of `verifyBackup`. */
export async function checkBackup(
  { words: [file = ''], options }: Invocation,
  terminal: Terminal,
): Promise<number> {
  const lines = readLines(file, await identitiesOf(options));
  const scratch = typeof options.scratch === 'string' ? options.scratch : undefined;
  const verdict = await verifyBackup({ file, lines, scratch, log });
  print(options, terminal, verdict, describeVerdict);
  return verdict.is_sound ? 0 : 1;
}

/** `keyslot restore`. @throws ServiceError of `restoreBackup`. */
export async function restore(
  { words: [file = ''], options }: Invocation,
  terminal: Terminal,
): Promise<void> {
  process.umask(PRIVATE);
  const config = configOf(options, terminal);
  const lines = readLines(file, await identitiesOf(options));
  const result = await restoreBackup({
    file,
    lines,
    log,
    headsFile: config.audit_heads_file,
    users: findReadingUsers(config),
    store: { dataDir: config.data_dir, databaseUrl: config.database_url },
    isFilesOnly: options['files-only'] === true,
  });
  print(options, terminal, result, describeRestore);
}

/** `keyslot store move`. @throws ServiceError of `moveStore`. */
export async function move({ options }: Invocation, terminal: Terminal): Promise<void> {
  const to = typeof options.to === 'string' ? options.to : terminal.env.KEYSLOT_MOVE_TO;
  if (to === undefined)
    throw serviceError('invalidCommand', { reason: 'missing --to URL or KEYSLOT_MOVE_TO' });
  process.umask(PRIVATE);
  const config = configOf(options, terminal);
  const isSplit = (await enterGatewayUser(config, 'other')) !== undefined;
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  const result = await moveStore({
    store: { dataDir, databaseUrl },
    to,
    headsFile: headsFileOf(config),
    log,
    signerDirectory: isSplit ? undefined : join(dataDir, 'signer'),
  });
  print(options, terminal, result, describeMove);
}

function configOf({ config: file, 'data-dir': dataDir }: OptionValues, { env }: Terminal): Config {
  return loadConfig({
    file: typeof file === 'string' ? file : undefined,
    env,
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
}

async function identitiesOf({ key }: OptionValues): Promise<readonly string[]> {
  if (typeof key !== 'string')
    throw serviceError('invalidCommand', {
      reason: 'missing --key FILE, which keyslot backup key has created',
    });
  return readIdentities(key);
}

function print<T>(
  { json }: OptionValues,
  { writeOut }: Terminal,
  result: T,
  describe: (result: T) => string,
): void {
  writeOut(json === true ? `${JSON.stringify(result)}\n` : describe(result));
}

/** The text of `keyslot backup key` for people. */
function describeKey({ file, recipient }: { readonly file: string; readonly recipient: string }): string {
  return `${file} opens backups that are encrypted to this recipient:

  ${recipient}

Keep the file apart from the server, and set backup.recipients (KEYSLOT_BACKUP_RECIPIENTS) to the recipient.
`;
}

/** The text of `keyslot backup create` for people. */
function describeBackup({ file, bytes, rows, tables, files }: BackupResult): string {
  const master = files.includes('signer/master.key')
    ? 'It contains the master key of managed wallets.'
    : 'It does not contain the master key of managed wallets: back that up separately.';
  return `${file}: ${bytes} bytes, ${rows} rows of ${tables} tables and ${files.length} files.
${master}
Verify it: keyslot backup verify ${file} --key FILE
`;
}

/** The text of `keyslot backup verify` for people. */
function describeVerdict({ is_sound, made_at, version, store, rows, checks }: BackupVerdict): string {
  return `Made at ${made_at} by Keyslot ${version}, from ${store === 'pglite' ? 'an embedded store' : 'PostgreSQL'}.
  ok      rows: ${rows}, the same number in each table
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
    return `The files of ${data_dir} are as of ${made_at}; PostgreSQL is unchanged. If it has destroyed keys that the signer does not know, the server says so at its start: see keyslot signer adopt.\n`;
  const kept = kept_heads_file
    ? 'The existing file of audit heads outside the data directory was kept.\n'
    : '';
  const isNewer = migrated
    ? `The tables were migrated from Keyslot ${version}, which can no longer start on them: to go back to that version, restore with it.\n`
    : '';
  return `${data_dir} is as of ${made_at}: ${rows} rows.
${checks.map(line).join('')}${isNewer}${kept}Everything since then is lost. Keys that were destroyed since then can be used again: destroy them before you give anyone access.
`;
}

/** The text of `keyslot store move` for people. */
function describeMove({ rows, tables, checks, old_store }: MoveResult): string {
  const old =
    old_store === null
      ? 'The old store is unchanged.'
      : `The old store is kept in ${old_store}; delete it when you no longer need it.`;
  return `${rows} rows of ${Object.keys(tables).length} tables were moved.
${checks.map(line).join('')}Set KEYSLOT_DATABASE_URL to the new address before you start the server. ${old}
`;
}

const line = ({ name, ok, detail }: CopyCheck): string =>
  `  ${ok ? 'ok    ' : 'FAILED'}  ${name}: ${detail}\n`;
