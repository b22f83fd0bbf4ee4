import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../../src/base/eventually.ts';
import { startNode } from '../../support/node-process.ts';
import { createDatabase } from '../../support/postgres.ts';

export type CommandResult = { readonly end: string; readonly stdout: string; readonly stderr: string };

type Env = Readonly<Record<string, string>>;

const COMMAND_MS = 300_000;

/** Runs a command of this version to its end. */
export async function runCommand(args: readonly string[], env: Env = {}): Promise<CommandResult> {
  const running = startNode(['src/main.ts', ...args], env);
  const end = await eventually(`keyslot ${args[0]} ends`, () => running.ended(), { timeoutMs: COMMAND_MS });
  return { end, stdout: running.stdout(), stderr: running.stderr() };
}

async function succeed(args: readonly string[], env: Env = {}): Promise<string> {
  const { end, stdout, stderr } = await runCommand(args, env);
  if (end !== 'exit code 0') throw new Error(`keyslot ${args.join(' ')}: ${end}\n${stderr}${stdout}`);
  return stdout;
}

export type Backup = { readonly file: string; readonly keyFile: string; readonly sizeBytes: number };

/** Makes a backup of a running gateway. */
export async function backUp(directory: string, env: Env): Promise<Backup> {
  const [file, keyFile] = [join(directory, 'backup.age'), join(directory, 'backup-key.txt')];
  const [recipient = ''] = /age1[a-z0-9]+/.exec(await succeed(['backup', 'key', keyFile])) ?? [];
  await succeed(['backup', 'create', file, '--recipient', recipient], env);
  return { file, keyFile, sizeBytes: (await stat(file)).size };
}

export type RestoredCheck = { readonly isSound: boolean; readonly text: string };

/** Restores a backup into a scratch place and has `keyslot doctor` look at it. @param databaseUrl a PostgreSQL to make a database in. */
export async function restoreAndExamine(
  { file, keyFile }: Backup,
  {
    directory,
    env,
    databaseUrl,
  }: { readonly directory: string; readonly env: Env; readonly databaseUrl: string },
): Promise<RestoredCheck> {
  const database = await createDatabase(databaseUrl);
  try {
    const place = {
      ...env,
      KEYSLOT_DATA_DIR: join(directory, 'restored'),
      KEYSLOT_DATABASE_URL: database.url,
      KEYSLOT_REDIS_PREFIX: `keyslot-restored-${randomUUID()}:`,
    };
    await succeed(['restore', file, '--key', keyFile], place);
    const { end, stdout, stderr } = await runCommand(['doctor'], place);
    return { isSound: end === 'exit code 0', text: stderr + stdout };
  } finally {
    await database.drop();
  }
}
