import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedStore } from './damaged-store.ts';

// PGlite fills a directory without PG_VERSION with a new database, whatever else is in it, and reports other damage as "PGlite failed to
// initialize properly" or "Aborted()".

/** Files that every database has, and that are never empty. */
const FILES = ['PG_VERSION', 'global/pg_control', 'global/pg_filenode.map', 'postgresql.conf'];
/** Directories that every database has, and that are never empty. */
const DIRECTORIES = ['base', 'global', 'pg_wal', 'pg_xact', 'pg_multixact/offsets'];
/** The name of a database's directory; another one, of temporary files, exists once a statement needed some. */
const DATABASE = /^\d+$/;
/** The name of a WAL segment; its first bytes give the format. */
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Asserts that a directory with a database has the files that PostgreSQL cannot start without. An empty directory has no database and passes.
 *
 * @throws DamagedStore naming the file that is missing, empty or zeroed.
 */
export function assertWhole(directory: string): void {
  if (readdirSync(directory).length === 0) return;
  const databases = namesIn(directory, 'base').filter((name) => DATABASE.test(name));
  const maps = databases.map((database) => `base/${database}`);
  const faults = [
    ...DIRECTORIES.flatMap((path) => (namesIn(directory, path).length === 0 ? [`${path} has no files`] : [])),
    ...[...FILES, ...maps.flatMap((path) => [`${path}/PG_VERSION`, `${path}/pg_filenode.map`])].flatMap(
      (path) => faultOf(directory, path),
    ),
    // The first transactions of a database are the ones that created it: they are committed.
    ...namesIn(directory, 'pg_xact').flatMap((name) =>
      name === '0000' ? faultOf(directory, `pg_xact/${name}`) : [],
    ),
    ...faultOfLog(directory),
  ];
  if (faults.length > 0) throw new DamagedStore(directory, faults.join(', '));
}

function faultOfLog(directory: string): readonly string[] {
  const segments = namesIn(directory, 'pg_wal').filter((name) => SEGMENT.test(name));
  const isRead = segments.some((name) => faultOf(directory, `pg_wal/${name}`).length === 0);
  return isRead ? [] : ['pg_wal has no readable segment'];
}

function faultOf(directory: string, path: string): readonly string[] {
  try {
    const bytes = readFileSync(join(directory, path));
    if (bytes.length === 0) return [`${path} is empty`];
    return bytes.every((byte) => byte === 0) ? [`${path} has only zeros`] : [];
  } catch (error) {
    if (!isMissing(error)) throw error;
    return [`${path} is missing`];
  }
}

function namesIn(directory: string, path: string): readonly string[] {
  try {
    return readdirSync(join(directory, path));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return [];
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
