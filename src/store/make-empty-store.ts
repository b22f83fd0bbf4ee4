import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { openStore } from './open-store.ts';
import { emptyStorePath, packEmptyStore } from './pglite/empty-store.ts';

/**
 * Prepares the empty store that new data directories are copied from, unless it exists.
 *
 * @returns its path.
 * @throws ServiceError as `openStore` does.
 */
export async function makeEmptyStore(): Promise<string> {
  const path = emptyStorePath();
  if (existsSync(path)) return path;
  const cache = dirname(path);
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'keyslot-preparing-'));
  try {
    const store = await openStore({ dataDir: draft }, pino({ level: 'silent' }));
    await store.close();
    const made = join(draft, 'store');
    await openForReading(made);
    await rename(made, path);
  } catch (error) {
    // Another process was faster: its store is the same.
    if (!existsSync(path)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return path;
}

/** The server may run as another user than the installer; the store contains nothing secret. */
async function openForReading(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}

/** As a program it also packs it into the folder that it is given, for a package. */
if (import.meta.main) {
  const path = await makeEmptyStore();
  const [, , folder] = process.argv;
  if (folder !== undefined) packEmptyStore(path, folder);
}
