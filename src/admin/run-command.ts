import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { Clock } from '../base/clock.ts';
import type { SignerLauncher } from '../signer/signer.ts';
import type { StoreOptions } from '../store/open-store.ts';
import { askAdmin } from './ask-admin.ts';
import { readRequest } from './read-request.ts';
import { waitForLock } from './wait-for-lock.ts';

export type CommandContext = {
  readonly store: StoreOptions;
  /** The setting `installation_key_file`. */
  readonly installationKeyFile: string | undefined;
  /** The file that heads of the audit log are appended to. */
  readonly headsFile: string;
  /** The address of the dashboard, as far as the configuration says it. */
  readonly dashboardUrl: string;
  readonly hsm: Config['hsm'];
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Takes notes for the user, such as a wait. */
  readonly onNote: (note: string) => void;
};

/** The deadlines of requests that read or rewrite the whole store. */
const DEADLINES_MS: Readonly<Record<string, number>> = {
  'audit.verify': 600_000,
  'signer.rotate-master': 86_400_000,
};

/**
 * Has the server of a data directory do what a request asks; where none runs, does it in the store itself, holding the store's
 * lock. Listing and revoking create no store. While a server starts or stops, or another command holds the store, it waits.
 *
 * @returns the result as JSON.
 * @throws ServiceError of the request, the server or the store; `dataDirectoryLocked` when the store stayed locked.
 */
export async function runCommand(context: CommandContext, request: unknown): Promise<unknown> {
  const checked = readRequest(request);
  const attempt = async (): Promise<unknown> => {
    const answer = await askAdmin(context.store.dataDir, request, DEADLINES_MS[checked.request.kind]);
    if (answer !== undefined) return answer.result;
    // What the store needs takes longer to load than a server to answer.
    const { doInStore } = await import('./do-in-store.ts');
    return doInStore(context, checked, request);
  };
  return waitForLock(attempt, { onWait: (reason) => context.onNote(`${reason}; waiting for it`) });
}
