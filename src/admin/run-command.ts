import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { loadInstallationKey } from '../account/installation-key.ts';
import { Keyring } from '../account/keyring.ts';
import { loadPlanBook } from '../account/plans.ts';
import { TokenRing } from '../account/tokens/token-ring.ts';
import { CreateLimitBook } from '../account/wallet-create-limit.ts';
import type { Clock } from '../clock.ts';
import { hasStore, openStore, type StoreOptions } from '../store/open-store.ts';
import { askAdmin } from './ask-admin.ts';
import { type AdminRequest, readRequest } from './read-request.ts';
import { createServeCommand } from './serve-commands.ts';
import { waitForLock } from './wait-for-lock.ts';
import { answerWithoutStore, makesStore } from './without-store.ts';

export type CommandPlace = {
  readonly store: StoreOptions;
  /** The setting `installation_key_file`. */
  readonly installationKeyFile: string | undefined;
  /** The file that heads of the audit log are appended to. */
  readonly headsFile: string;
  readonly hsm: Config['hsm'];
  readonly clock: Clock;
  readonly log: Logger;
  /** Told in a few words what the user might wonder about. */
  readonly onNote: (note: string) => void;
};

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
    return answer === undefined ? doInStore(place, checked, request) : answer.result;
  };
  return waitForLock(attempt, { onWait: (reason) => place.onNote(`${reason}; waiting for it`) });
}

async function doInStore(place: CommandPlace, checked: AdminRequest, command: unknown): Promise<unknown> {
  const { store: where, clock, log, onNote } = place;
  if (!hasStore(where) && !makesStore(checked)) {
    onNote(`${where.dataDir} has no store yet, and no server runs there`);
    return answerWithoutStore(checked);
  }
  await using opened = new AsyncDisposableStack();
  const store = await openStore(where, log);
  opened.defer(() => store.close());
  const plans = await loadPlanBook(store);
  const places = {
    ...{ store, plans, keyring: new Keyring(), flushUsage: () => Promise.resolve() },
    ...{ tokens: new TokenRing(), limits: new CreateLimitBook(), headsFile: place.headsFile },
    installationKey: () => loadInstallationKey({ dataDir: where.dataDir, file: place.installationKeyFile }),
    headKey: () => Promise.resolve(undefined),
    rotateMaster: async () => {
      const { rotateWithoutServer } = await import('./rotate-without-server.ts');
      return rotateWithoutServer({ store, dataDir: where.dataDir, hsm: place.hsm, log });
    },
  };
  const result = await createServeCommand(places, clock)(command);
  return JSON.parse(JSON.stringify(result));
}
