import type { Logger } from 'pino';
import { Keyring } from '../account/keyring.ts';
import type { Clock } from '../clock.ts';
import { openStore, type StoreOptions } from '../store/open-store.ts';
import { askAdmin } from './ask-admin.ts';
import { readKeyRequest } from './key-request.ts';
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
  const checked = readKeyRequest(request);
  const answer = await askAdmin(where.dataDir, checked);
  if (answer !== undefined) return answer.result;
  await using opened = new AsyncDisposableStack();
  const store = await openStore(where, log);
  opened.defer(() => store.close());
  const result = await createServeCommand({ store, keyring: new Keyring() }, clock)(checked);
  return JSON.parse(JSON.stringify(result));
}
