import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../lab/gateways/gateway.ts';
import { createDatabase } from '../../support/postgres.ts';

type Env = Readonly<Record<string, string>>;

/** Runs a command that must succeed; what it prints. */
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
    config,
  }: {
    readonly directory: string;
    readonly env: Env;
    readonly databaseUrl: string;
    readonly config: readonly string[];
  },
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
    const { end, stdout, stderr } = await runCommand(['doctor', ...config], place);
    return { isSound: end === 'exit code 0', text: stderr + stdout };
  } finally {
    await database.drop();
  }
}
