import { mkdir, readFile, stat, utimes } from 'node:fs/promises';
import { ServiceError } from '../../../core/service-error.ts';
import { acquireLock, type Lock, releaseLock } from '../../../store/lock-file.ts';

/** A directory that this process alone writes. */
export type DirectoryClaim = {
  /** True while the claim holds. Costs two small file system calls every 5 s. */
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
};

const TOUCH_MS = 5_000;
/** A process that cannot touch its lock for this time gives it up, well before another one takes it. */
const GIVE_UP_MS = 30_000;
/** A process on another host, or in a replaced container, counts as ended when it has not touched its lock for this time. */
const STALE_MS = 60_000;

/**
 * Claims a directory, and creates it if it is missing. Release the claim even when it is no longer held.
 *
 * @returns undefined while another process holds it. @throws Error if the directory cannot be written.
 */
export async function claimDirectory(directory: string): Promise<DirectoryClaim | undefined> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await tryLock(directory);
  if (lock === undefined) return undefined;
  let touchedMs = Date.now();
  let isLost = false;
  const touch = async (): Promise<void> => {
    const text = await readFile(lock.path, 'utf8').catch(() => '');
    isLost ||= text !== lock.text || age(touchedMs) > GIVE_UP_MS;
    if (isLost) return;
    const now = new Date();
    await utimes(lock.path, now, now);
    touchedMs = now.getTime();
  };
  let pending: Promise<void> | undefined;
  /** One at a time: each touch that hangs blocks one of the few threads of the file system calls. */
  const touchOnce = (): Promise<void> => {
    pending ??= touch().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const touching = setInterval(() => void touchOnce().catch(ignore), TOUCH_MS).unref();
  return {
    isHeld: async () => {
      if (!isLost && age(touchedMs) > TOUCH_MS) await touchOnce();
      return !isLost;
    },
    release: async () => {
      clearInterval(touching);
      await releaseLock(lock);
    },
  };
}

async function tryLock(directory: string): Promise<Lock | undefined> {
  try {
    return await acquireLock(directory, isStale);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'dataDirectoryLocked') return undefined;
    throw error;
  }
}

/** A lock that was released meanwhile is not stale. */
async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(ignore);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

/** A lock from the future is old as well: the clock was set back. */
function age(timeMs: number): number {
  return Math.abs(Date.now() - timeMs);
}

const ignore = (): undefined => undefined;
