import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { repeatSteps } from '../../core/repeat-steps.ts';

export type RetentionOptions = {
  /** Deletes a bounded number of counts before an instant; resolves to true if there may be more. */
  readonly purge: (beforeMs: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionDays: number;
};

const DAY_MS = 86_400_000;

/** Deletes counts older than the retention, step by step. @returns a function that stops it after the current step. */
export function retainUsage({ purge, clock, log, retentionDays }: RetentionOptions): () => Promise<void> {
  const step = (): Promise<boolean> => purge(clock.nowMs() - retentionDays * DAY_MS);
  return repeatSteps({ step, log, failure: 'cannot delete old usage; retrying' });
}
