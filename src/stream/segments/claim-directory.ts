import { mkdir, readFile, stat, utimes } from 'node:fs/promises';
import { ServiceError } from '../../base/service-error.ts';
import { acquireLock, type Lock, releaseLock } from '../../store/lock-file.ts';

/** A directory that this process alone writes. */
export type DirectoryClaim = {
  /** True while it is. Costs two small calls of the file system every 5 s. */
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
};

const TOUCH_MS = 5_000;
/** A process that could not touch its lock for this time gives it up, well before another one takes it. */
const GIVE_UP_MS = 30_000;
/** A process of another host, or of a container that was replaced, cannot be looked for. It has ended when it has not touched its lock for this time. */
const STALE_MS = 60_000;

/**
 * Claims a directory, and makes it if it is missing. Release it, also when it is not held any more.
 *
 * @returns undefined while another process has it. @throws Error if it cannot be written.
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
  /** One at a time: each that hangs takes one of the few threads that all calls of the file system have. */
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

/** One that was released meanwhile is not. */
async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(ignore);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}

/** A clock that was set back makes it old too. */
function age(timeMs: number): number {
  return Math.abs(Date.now() - timeMs);
}

const ignore = (): undefined => undefined;
