import { ServiceError, serviceError } from '../base/service-error.ts';
import { innermostError, storeFaultOf } from './store-fault.ts';

/** Opens the store; any failure becomes `storeUnavailable`, naming the store and the reason. */
export async function withStoreErrors<T>(where: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ServiceError ? error : storeUnavailable(where, error);
  }
}

/**
 * Runs work with an open store: throws `storeUnavailable` for a fault of the store that may pass, `storeRefused` if it refused a statement,
 * or the work itself failed.
 */
export async function withStoreFaults<T>(where: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (storeFaultOf(error) !== undefined) throw storeUnavailable(where, error);
    throw serviceError('storeRefused', { where, reason: reasonOf(error) }, error);
  }
}

/** Returns the error for a store that failed. The reason is the innermost message: drivers wrap it in query texts. */
export function storeUnavailable(where: string, error: unknown): ServiceError {
  const fault = storeFaultOf(error) ?? 'unreachable';
  return serviceError('storeUnavailable', { where, reason: reasonOf(error), fault }, error);
}

function reasonOf(error: unknown): string {
  const innermost = innermostError(error);
  return innermost instanceof Error ? innermost.message : String(innermost);
}
