import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceError } from '../../base/service-error.ts';
import { compareMigrations, readJournal } from '../known-migrations.ts';
import { MIGRATIONS } from '../migrate.ts';

/**
 * Lets `work` use a folder with the first migrations only: a copy is written into the tables that it was read from, and migrated afterwards.
 *
 * @param applied the instants of the migrations that the copied tables have, in order.
 * @throws ServiceError `copyRefused` if this version does not know all of them.
 */
export async function withMigrationsUntil<T>(
  applied: readonly number[],
  where: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const journal = await readJournal(MIGRATIONS);
  const { entries } = journal;
  if ((await compareMigrations(applied, MIGRATIONS)) === 'unknown')
    throw serviceError('copyRefused', {
      where,
      reason: `its tables are those of another version: ${applied.length} migrations, of which this version has not all; use the version that wrote it, or a newer one`,
    });
  if (applied.length === entries.length) return work(MIGRATIONS);
  const folder = await mkdtemp(join(tmpdir(), 'keyslot-migrations-'));
  try {
    const kept = entries.slice(0, applied.length);
    await mkdir(join(folder, 'meta'));
    await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries: kept }));
    for (const { tag } of kept) await copyFile(join(MIGRATIONS, `${tag}.sql`), join(folder, `${tag}.sql`));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
