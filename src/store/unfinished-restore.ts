import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serviceError } from '../core/service-error.ts';

/** The directory in a data directory that a restore writes to. While it exists, the restore is not finished. */
export const RESTORING = '.restoring';

/** The remedy for a data directory whose restore ended while it moved its files there. */
export const RESTORE_AGAIN =
  'empty it, and run keyslot restore again, with --files-only if the database is already restored';

/**
 * Refuses a data directory with an unfinished restore: a part of an installation must not be served.
 *
 * @throws ServiceError `copyRefused` with what to do.
 */
export function assertRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING))) return;
  throw serviceError('copyRefused', {
    where: dataDir,
    reason: `a restore into it is running or was interrupted, as ${RESTORING} in it shows. If none is running: ${RESTORE_AGAIN}`,
  });
}
