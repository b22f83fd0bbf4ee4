import { type ServiceError, serviceError } from '../../base/service-error.ts';

/** Returns `keyBackendFailed`, with a reason for the log that holds no secret. */
export function keyFailure(reason: string, cause?: unknown): ServiceError {
  return serviceError('keyBackendFailed', {}, new Error(reason, cause === undefined ? undefined : { cause }));
}
