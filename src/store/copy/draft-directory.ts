import { mkdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { acquireLock, releaseLock } from '../lock-file.ts';

/**
 * Creates an empty directory for this process alone, replacing one that a killed process left.
 *
 * @throws ServiceError `dataDirectoryLocked` when a living process uses it.
 */
export async function takeDraftDirectory(path: string): Promise<void> {
  if (existsSync(path)) {
    const lock = await acquireLock(path);
    // A server may still be writing the last files of a copy for a process that was killed.
    await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    await releaseLock(lock);
  }
  await mkdir(path, { mode: 0o700 });
}
