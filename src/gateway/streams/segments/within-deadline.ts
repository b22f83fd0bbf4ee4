import { serviceError } from '../../../core/service-error.ts';

/** A slower disk counts as lost. */
const DEADLINE_MS = 5_000;

/** Awaits a read from the disk. @throws ServiceError `upstreamUnavailable` if it fails or takes longer than 5 s. */
export async function withinDeadline<T>(reading: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the disk does not answer')), DEADLINE_MS);
  try {
    return await Promise.race([reading, late.promise]);
  } catch (error) {
    throw serviceError('upstreamUnavailable', {}, error);
  } finally {
    clearTimeout(timer);
  }
}
