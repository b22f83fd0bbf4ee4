import { ServiceError, serviceError } from '../service-error.ts';

/** Runs what touches the store; whatever it throws becomes storeUnavailable, naming the place and the reason. */
export async function withStoreErrors<T>(where: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ServiceError ? error : storeUnavailable(where, error);
  }
}

/** The error for a store that failed. The reason is the innermost message: drivers wrap it in query texts. */
export function storeUnavailable(where: string, error: unknown): ServiceError {
  return serviceError('storeUnavailable', { where, reason: innermostReason(error) }, error);
}

function innermostReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostReason(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermostReason(error.cause);
}
