import type { Logger } from 'pino';
import { Keyring } from '../account/keyring.ts';
import { loadPlanBook } from '../account/plans.ts';
import type { Clock } from '../clock.ts';
import { openStore, type StoreOptions } from '../store/open-store.ts';
import { askAdmin } from './ask-admin.ts';
import { readRequest } from './read-request.ts';
import { createServeCommand } from './serve-commands.ts';

export type CommandPlace = { readonly store: StoreOptions; readonly clock: Clock; readonly log: Logger };

/**
 * Has the server of a data directory do what a command asks; where none runs, does it here, in the store, with the store's
 * lock. The result is JSON.
 *
 * @throws ServiceError what is wrong with the command, the server or the store. `dataDirectoryLocked` while a server
 *   starts or stops.
 */
export async function runCommand(
  { store: where, clock, log }: CommandPlace,
  request: unknown,
): Promise<unknown> {
  readRequest(request);
  const answer = await askAdmin(where.dataDir, request);
  if (answer !== undefined) return answer.result;
  await using opened = new AsyncDisposableStack();
  const store = await openStore(where, log);
  opened.defer(() => store.close());
  const plans = await loadPlanBook(store);
  const places = { store, plans, keyring: new Keyring(), flushUsage: () => Promise.resolve() };
  const result = await createServeCommand(places, clock)(request);
  return JSON.parse(JSON.stringify(result));
}
