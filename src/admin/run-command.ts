import type { Logger } from 'pino';
import { Keyring } from '../account/keyring.ts';
import { loadPlanBook } from '../account/plans.ts';
import type { Clock } from '../clock.ts';
import { serviceError } from '../service-error.ts';
import { hasStore, openStore, type StoreOptions } from '../store/open-store.ts';
import { askAdmin } from './ask-admin.ts';
import { type AdminRequest, readRequest } from './read-request.ts';
import { createServeCommand } from './serve-commands.ts';
import { waitForLock } from './wait-for-lock.ts';

export type CommandPlace = {
  readonly store: StoreOptions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told in a few words what the user might wonder about. */
  readonly onNote: (note: string) => void;
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
    const answer = await askAdmin(place.store.dataDir, request);
    return answer === undefined ? doInStore(place, checked, request) : answer.result;
  };
  return waitForLock(attempt, { onWait: (reason) => place.onNote(`${reason}; waiting for it`) });
}

async function doInStore(
  place: CommandPlace,
  { about, request }: AdminRequest,
  command: unknown,
): Promise<unknown> {
  const { store: where, clock, log, onNote } = place;
  if (about === 'keys' && request.kind !== 'keys.create' && !hasStore(where)) {
    onNote(`${where.dataDir} has no store yet, and no server runs there`);
    if (request.kind === 'keys.list') return { keys: [] };
    throw serviceError('keyNotFound', { id: request.id });
  }
  await using opened = new AsyncDisposableStack();
  const store = await openStore(where, log);
  opened.defer(() => store.close());
  const plans = await loadPlanBook(store);
  const places = { store, plans, keyring: new Keyring(), flushUsage: () => Promise.resolve() };
  const result = await createServeCommand(places, clock)(command);
  return JSON.parse(JSON.stringify(result));
}
