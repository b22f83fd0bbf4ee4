import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';

export type RetentionOptions = {
  /** Deletes a bounded number of counts before an instant; resolves to true if there may be more. */
  readonly purge: (beforeMs: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionDays: number;
};

const DAY_MS = 86_400_000;
const REST_MS = 60_000;
const STEP_MS = 1_000;

/** Deletes counts older than the retention, step by step. @returns a function that stops it after the current step. */
export function retainUsage({ purge, clock, log, retentionDays }: RetentionOptions): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const step = async (): Promise<void> => {
    let hasMore = false;
    try {
      hasMore = await purge(clock.nowMs() - retentionDays * DAY_MS);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, 'old usage cannot be deleted; trying again');
    }
    if (!isStopped) schedule(hasMore ? STEP_MS : REST_MS);
  };
  const schedule = (delayMs: number): void => {
    timer = setTimeout(() => {
      running = step();
    }, delayMs).unref();
  };
  schedule(STEP_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
