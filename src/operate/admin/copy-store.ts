import { join } from 'node:path';
import { serviceError } from '../../core/service-error.ts';
import type { Store } from '../../store/open-store.ts';

/** The directory of a data directory that its server copies the embedded store into. The command that asks has made it. */
export const COPY_DIRECTORY = 'backup';

/**
 * Returns a function that copies the embedded store of a running server to `<dataDir>/backup/store`, as of one moment. One copy at a
 * time: the copy of a killed command continues for a moment.
 *
 * The function throws ServiceError `dataDirectoryLocked` while another copy is made, `copyRefused`, and `invalidCommand` for a PostgreSQL.
 */
export function createStoreCopier(
  { copyFiles }: Pick<Store, 'copyFiles'>,
  dataDir: string,
): () => Promise<{ readonly copied: true }> {
  const directory = join(dataDir, COPY_DIRECTORY);
  let isCopying = false;
  return async () => {
    if (copyFiles === undefined)
      throw serviceError('invalidCommand', {
        reason: 'the store is PostgreSQL, which is not copied as files',
      });
    if (isCopying)
      throw serviceError('dataDirectoryLocked', {
        path: directory,
        holder: 'its server, for another backup',
      });
    isCopying = true;
    try {
      await copyFiles(join(directory, 'store'));
      return { copied: true };
    } finally {
      isCopying = false;
    }
  };
}

/** Refuses to copy while no server runs: the command reads the store itself. @throws ServiceError `invalidCommand`, always. */
export function refuseCopy(): never {
  throw serviceError('invalidCommand', { reason: 'no server is running: read its store directly' });
}
