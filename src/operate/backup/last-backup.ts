import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The last backup, as recorded in the data directory. */
export type LastBackup = { readonly made_at: string; readonly file: string; readonly bytes: number };

/** Its file in the data directory. */
export const LAST_BACKUP_FILE = 'last-backup.json';

/** Reads the time of the last backup of a data directory in milliseconds; undefined if none is known or it cannot be read. */
export async function readLastBackupMs(dataDir: string): Promise<number | undefined> {
  const last = await readLastBackup(dataDir).catch(() => undefined);
  return last === undefined ? undefined : Date.parse(last.made_at);
}

/** Reads the record of the last backup of a data directory; undefined if none is known. */
export async function readLastBackup(dataDir: string): Promise<LastBackup | undefined> {
  try {
    const { made_at, file, bytes } = JSON.parse(
      await readFile(join(dataDir, LAST_BACKUP_FILE), 'utf8'),
    ) as LastBackup;
    return Number.isNaN(Date.parse(made_at)) ? undefined : { made_at, file, bytes };
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    )
      return undefined;
    throw error;
  }
}
