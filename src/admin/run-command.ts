import type { CommandPlace } from './command-place.ts';
import { askAdmin } from './ask-admin.ts';
import { readRequest } from './read-request.ts';
import { waitForLock } from './wait-for-lock.ts';

/** How long a command may take that goes through everything there is. */
const DEADLINES_MS: Readonly<Record<string, number>> = {
  'audit.verify': 600_000,
  'signer.rotate-master': 86_400_000,
};

/**
 * Has the server of a data directory do what a command asks; where none runs, does it here, in the store, with the store's
 * lock. Asking for keys and ending them makes no store. While a server starts or stops, or another command has the store, it waits. The result is JSON.
 *
 * @throws ServiceError what is wrong with the command, the server or the store. `dataDirectoryLocked` when nobody took the
 *   command in time.
 */
export async function runCommand(place: CommandPlace, request: unknown): Promise<unknown> {
  const checked = readRequest(request);
  const attempt = async (): Promise<unknown> => {
    const answer = await askAdmin(place.store.dataDir, request, DEADLINES_MS[checked.request.kind]);
    if (answer !== undefined) return answer.result;
    // What the store needs takes longer to load than a server to answer.
    const { doInStore } = await import('./do-in-store.ts');
    return doInStore(place, checked, request);
  };
  return waitForLock(attempt, { onWait: (reason) => place.onNote(`${reason}; waiting for it`) });
}
