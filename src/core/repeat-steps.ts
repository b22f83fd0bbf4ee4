import type { Logger } from 'pino';

export type StepOptions = {
  /** Does a bounded part of the work; resolves to true if there may be more. */
  readonly step: () => Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
  /** Logged when a step fails; the next one tries again. */
  readonly failure: string;
  /** Pause when there is nothing to do. Default a minute. */
  readonly restMs?: number;
};

const REST_MS = 60_000;
const STEP_MS = 1_000;

/** Runs steps until nothing is left, pauses, and starts over. @returns a function that stops it after the current step. */
export function repeatSteps({ step, log, failure, restMs = REST_MS }: StepOptions): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const run = async (): Promise<void> => {
    let hasMore = false;
    try {
      hasMore = await step();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, failure);
    }
    if (!isStopped) schedule(hasMore ? STEP_MS : restMs);
  };
  const schedule = (delayMs: number): void => {
    timer = setTimeout(() => {
      running = run();
    }, delayMs).unref();
  };
  schedule(STEP_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
