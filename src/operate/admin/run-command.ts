import { serviceError } from '../../core/service-error.ts';
import { type AdminRequest, readRequest, type SentLocalRequest } from './admin-request.ts';
import { askAdmin } from './ask-admin.ts';
import type { CommandContext } from './command-context.ts';
import type { Answer, CommandOperation, OperationRequest } from './serve-operation.ts';
import { waitForLock } from './wait-for-lock.ts';

/** A request as a command sends it. */
export type SentRequest = OperationRequest | SentLocalRequest;

/** Carries out a request. @returns the result as JSON. */
export type Ask = {
  <O extends CommandOperation>(request: OperationRequest<O>): Promise<Answer<O>>;
  (request: SentRequest): Promise<unknown>;
};

/** The deadlines of requests that read or rewrite the whole store. */
const DEADLINES_MS: Readonly<Record<string, number>> = {
  'audit.verify': 600_000,
  'signer.rotate-master': 86_400_000,
};

/**
 * Sends requests to the server of a data directory; without a server, carries them out in the store itself, holding the store's lock.
 * Waits while a server starts or stops, or another command holds the store.
 *
 * @param first the first of them, which is checked before anything is done. Without a server, it decides if a missing store is made.
 * @param work gets the result of the first as JSON, and may ask more.
 * @throws ServiceError of the requests, of `work`, the server or the store; `dataDirectoryLocked` when the store stayed locked;
 *   `adminFailed` when the server stops after the first.
 */
export function runCommand<T>(
  context: CommandContext,
  first: SentRequest,
  work: (result: unknown, ask: Ask) => Promise<T>,
): Promise<T> {
  const { dataDir } = context.store;
  const checked = readRequest(first);
  const askServer = async (request: SentRequest): Promise<unknown> => {
    const answer = await askAdmin(dataDir, request);
    if (answer !== undefined) return answer.result;
    throw serviceError('adminFailed', { path: dataDir, reason: 'the server stopped' });
  };
  const attempt = async (): Promise<T> => {
    const answer = await askAdmin(dataDir, first, deadlineOf(checked));
    if (answer !== undefined) return work(answer.result, askServer as Ask);
    // Loading the store's code takes longer than an answer of a server.
    const { doInStore } = await import('./do-in-store.ts');
    return doInStore(context, checked, async (ask) => work(await ask(first), ask as Ask));
  };
  return waitForLock(attempt, { onWait: (reason) => context.onNote(`${reason}; waiting for it`) });
}

function deadlineOf(request: AdminRequest): number | undefined {
  return 'kind' in request ? DEADLINES_MS[request.kind] : undefined;
}
