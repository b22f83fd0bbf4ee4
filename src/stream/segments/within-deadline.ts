import { serviceError } from '../../base/service-error.ts';

/** A disk that takes longer is as good as lost. */
const DEADLINE_MS = 5_000;

/** Returns what comes of the disk. @throws ServiceError `upstreamUnavailable` if that fails, or takes longer than 5 s: what is there is not known. */
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
