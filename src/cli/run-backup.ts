import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../generated/config.ts';
import { newBackupKey, readIdentities } from '../backup/age-file.ts';
import { createBackup } from '../backup/create-backup.ts';
import { moveStore } from '../backup/move-store.ts';
import { readLines } from '../backup/read-lines.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { systemClock } from '../base/clock.ts';
import { serviceError } from '../base/service-error.ts';
import type { Terminal } from '../base/terminal.ts';
import { headsFileOf, loadConfig } from '../config/load-config.ts';
import { hasOwnMasterKey } from '../signer/settings.ts';
import { enterGatewayUser, findReadingUsers } from '../start/start-users.ts';
import {
  describeBackup,
  describeKey,
  describeMove,
  describeRestore,
  describeVerdict,
} from './backup-text.ts';
import type { Invocation } from './parse-command-line.ts';
import type { OptionValues } from './read-arguments.ts';
import { readVersion } from '../base/version.ts';

/** Files and directories are created for this user only. */
const PRIVATE = 0o077;

const log = pino({ level: 'fatal' }, pino.destination({ dest: 2, sync: true }));

/** `keyslot backup key`. @throws ServiceError `copyRefused` if the file exists. */
export async function makeBackupKey(
  { words: [file = ''], options }: Invocation,
  terminal: Terminal,
): Promise<void> {
  const { identity, recipient } = await newBackupKey();
  const text = `# opens backups of Keyslot that are encrypted to ${recipient}\n${identity}\n`;
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
        'expected a recipient: make one with keyslot backup key FILE, then give --recipient or set backup.recipients',
    });
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  const job = {
    ...{ store: { dataDir, databaseUrl }, headsFile: headsFileOf(config), version: readVersion() },
    ...{ hasKeyApart: config.installation_key_file !== undefined, atMs: systemClock.nowMs() },
  };
  const result = await createBackup({
    ...{ file, recipients, job, hasOwnMasterKey: hasOwnMasterKey(config.hsm) },
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
    ...{ file, lines, log, headsFile: config.audit_heads_file, users: findReadingUsers(config) },
    store: { dataDir: config.data_dir, databaseUrl: config.database_url },
    isFilesOnly: options['files-only'] === true,
  });
  print(options, terminal, result, describeRestore);
}

/** `keyslot store move`. @throws ServiceError of `moveStore`. */
export async function move({ options }: Invocation, terminal: Terminal): Promise<void> {
  const to = typeof options.to === 'string' ? options.to : terminal.env.KEYSLOT_MOVE_TO;
  if (to === undefined)
    throw serviceError('invalidCommand', { reason: 'expected --to URL, or KEYSLOT_MOVE_TO' });
  process.umask(PRIVATE);
  const config = configOf(options, terminal);
  const isSplit = (await enterGatewayUser(config, 'other')) !== undefined;
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  const result = await moveStore({
    ...{ store: { dataDir, databaseUrl }, to, headsFile: headsFileOf(config), log },
    signerDirectory: isSplit ? undefined : join(dataDir, 'signer'),
  });
  print(options, terminal, result, describeMove);
}

function configOf({ config: file, 'data-dir': dataDir }: OptionValues, { env }: Terminal): Config {
  return loadConfig({
    ...{ file: typeof file === 'string' ? file : undefined, env },
    cli: typeof dataDir === 'string' ? { 'data-dir': dataDir } : {},
  });
}

async function identitiesOf({ key }: OptionValues): Promise<readonly string[]> {
  if (typeof key !== 'string')
    throw serviceError('invalidCommand', { reason: 'expected --key FILE, which keyslot backup key made' });
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
