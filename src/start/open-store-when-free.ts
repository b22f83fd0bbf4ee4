import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { isServed } from '../admin/ask-admin.ts';
import { waitForLock } from '../admin/wait-for-lock.ts';
import { openStore, type PrioritizedStore } from '../store/open-store.ts';

/**
 * A command, or a server that is stopping, holds the embedded store only for a moment, so this waits for it; a server that
 * serves keeps it.
 */
export function openStoreWhenFree(
  config: Config,
  log: Logger,
  progress: (step: string) => void,
): Promise<PrioritizedStore> {
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  return waitForLock(() => openStore({ dataDir, databaseUrl }, log), {
    onWait: (reason) => progress(`${reason}; waiting for it`),
    isHopeless: () => isServed(dataDir),
  });
}
