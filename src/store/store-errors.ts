import { statfs } from 'node:fs/promises';
import { ServiceError, serviceError } from '../core/service-error.ts';
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
 * Runs a step that needs the data directory; a failure becomes `storeUnavailable` with the attempted step, the reason, and what to do about
 * it.
 */
export async function withDataDirectory<T>(
  dataDir: string,
  where: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const told = storeFaultOf(error) ?? 'unreachable';
    const fault = told === 'unreachable' && (await isFull(dataDir)) ? 'disk_full' : told;
    const reason = reasonOf(error);
    const remedy = /^(?:EACCES|EPERM)\b/.test(reason) ? REMEDIES.denied : REMEDIES[fault];
    throw serviceError('storeUnavailable', { where, reason: `${reason}${remedy ?? ''}`, fault }, error);
  }
}

const ELSEWHERE = 'choose another data directory: --data-dir, KEYSLOT_DATA_DIR';
const REMEDIES: Readonly<Partial<Record<string, string>>> = {
  disk_full: `. Free space on the disk of the data directory, or ${ELSEWHERE}`,
  read_only: `. Mount the file system of the data directory for writing, or ${ELSEWHERE}`,
  denied: `. Give the data directory to the user that Keyslot runs as (chown -R), or ${ELSEWHERE}`,
};
/** Below this, an input or output error of a program that creates files is taken for a full disk. */
const LEAST_FREE_BYTES = 2 ** 20;

/** A read-only disk has no free space either, and reports itself. */
async function isFull(dataDir: string): Promise<boolean> {
  const found = await statfs(dataDir).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize < LEAST_FREE_BYTES;
}

/**
 * Runs work with an open store: throws `storeUnavailable` for a fault of the store that may pass, `storeRefused` if it refused a statement,
 * or the error of the work itself.
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
