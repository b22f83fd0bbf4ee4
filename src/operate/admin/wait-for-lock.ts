import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError, serviceError } from '../../core/service-error.ts';

export type LockWait = {
  /** Called once, when the wait begins, with the holder of the data directory. */
  readonly onWait: (reason: string) => void;
  /** Resolves to true if the lock will not be released, for example by a running server. */
  readonly isHopeless?: () => Promise<boolean>;
  /** Default 60,000 ms: longer than a server takes to start or stop. */
  readonly deadlineMs?: number;
  /** Between two attempts. Default 100 ms. */
  readonly pauseMs?: number;
};

const DEADLINE_MS = 60_000;
const PAUSE_MS = 100;

/**
 * Retries an attempt until no other process holds the data directory: commands, and servers that start or stop, hold it only briefly.
 *
 * @throws ServiceError `dataDirectoryLocked` after the deadline, or at once if the lock will not be released; any other error of the
 *   attempt.
 */
export async function waitForLock<T>(attempt: () => Promise<T>, options: LockWait): Promise<T> {
  const { onWait, isHopeless, deadlineMs = DEADLINE_MS, pauseMs = PAUSE_MS } = options;
  const startMs = performance.now();
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'dataDirectoryLocked') throw error;
      if (await isHopeless?.()) throw error;
      if (performance.now() - startMs >= deadlineMs) throw stillLocked(error, deadlineMs);
      if (count === 1) onWait(error.message);
      await pause(pauseMs);
    }
  }
}

function stillLocked({ context: { path, holder } }: ServiceError, deadlineMs: number): ServiceError {
  const since = `${String(holder)}, which neither became ready nor ended within ${Math.round(deadlineMs / 1_000)} s; check its log, or stop it`;
  return serviceError('dataDirectoryLocked', { path: String(path), holder: since });
}
