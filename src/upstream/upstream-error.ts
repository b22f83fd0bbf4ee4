import { ServiceError, serviceError } from '../service-error.ts';

const TIMEOUT_CODES: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** The internal cause of an `upstreamBroken` whose connection broke: the one failure that a read is retried after. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
}

/**
 * What a failure of undici means to a client. Before a connection was there nothing can have been sent:
 * `upstreamUnavailable`; after that `upstreamTimeout` for a deadline, `upstreamBroken` for anything else.
 */
export function toUpstreamError(error: unknown, wasSent: boolean, limitMs: number): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (TIMEOUT_CODES.has(code)) return serviceError('upstreamTimeout', { limitMs }, error);
  if (!wasSent) return serviceError('upstreamUnavailable', {}, error);
  return serviceError('upstreamBroken', {}, new BrokenConnection('the connection broke', { cause: error }));
}
