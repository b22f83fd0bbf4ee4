import { serviceError } from '../base/service-error.ts';
import { askAdmin, isServed } from './ask-admin.ts';
import type { CommandContext } from './command-context.ts';
import type { Ask, doInStore } from './do-in-store.ts';
import { readRequest } from './read-request.ts';
import { waitForLock } from './wait-for-lock.ts';

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
  return whenUnlocked(context, async () => {
    const answer = await askAdmin(context.store.dataDir, request, DEADLINES_MS[checked.request.kind]);
    if (answer !== undefined) return answer.result;
    return inStore(context, checked, (ask) => ask(request));
  });
}

/**
 * As `runCommand`, for work of many requests, such as the pages of a list: a store that is opened for them stays open.
 *
 * @param first the first of them, which is checked before anything is done.
 * @throws ServiceError also of `work`; `adminFailed` when the server stops meanwhile.
 */
export async function runCommands<T>(
  context: CommandContext,
  first: unknown,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const { dataDir } = context.store;
  const checked = readRequest(first);
  const askServer: Ask = async (request) => {
    const answer = await askAdmin(dataDir, request);
    if (answer !== undefined) return answer.result;
    throw serviceError('adminFailed', { path: dataDir, reason: 'the server stopped' });
  };
  return whenUnlocked(context, async () =>
    (await isServed(dataDir)) ? work(askServer) : inStore(context, checked, work),
  );
}

function whenUnlocked<T>({ onNote }: CommandContext, attempt: () => Promise<T>): Promise<T> {
  return waitForLock(attempt, { onWait: (reason) => onNote(`${reason}; waiting for it`) });
}

async function inStore<T>(...args: Parameters<typeof doInStore<T>>): Promise<T> {
  // What the store needs takes longer to load than a server to answer.
  const { doInStore } = await import('./do-in-store.ts');
  return doInStore(...args);
}
