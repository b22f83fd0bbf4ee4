import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { serviceError } from '../../core/service-error.ts';

/** Shorter than the wait of other statements for the connection (`DEADLINES.connectMs`): none of them fails because of a copy. */
const COPY_DEADLINE_MS = 8_000;

/**
 * Copies the files of an embedded store into a new directory, accessible to its owner only. The copy takes the store's only connection, so
 * that nothing is written meanwhile: it opens as the store would after a crash at this moment.
 *
 * @throws ServiceError `copyRefused` when that takes longer than 8 s.
 */
export async function copyFiles(pool: pg.Pool, directory: string, to: string): Promise<void> {
  const client = await pool.connect();
  const endMs = performance.now() + COPY_DEADLINE_MS;
  try {
    await client.query('checkpoint');
    await copyDirectory(directory, to, endMs);
  } finally {
    client.release();
  }
}

async function copyDirectory(from: string, to: string, endMs: number): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const name of await readdir(from)) {
    if (performance.now() > endMs) throw tooSlow(from);
    const [source, target] = [join(from, name), join(to, name)];
    const isDirectory = (await lstat(source)).isDirectory();
    if (isDirectory) await copyDirectory(source, target, endMs);
    else await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

function tooSlow(directory: string): Error {
  return serviceError('copyRefused', {
    where: `embedded store ${directory}`,
    reason: `its files cannot be copied within ${COPY_DEADLINE_MS / 1_000} s, and nothing can be written meanwhile: stop the server for the backup, or move to PostgreSQL`,
  });
}
