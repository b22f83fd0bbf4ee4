import type { Logger } from 'pino';
import { assertWhole } from './assert-whole.ts';
import { type StoreThread, startStoreThread } from './store-thread.ts';
import { toError } from './thrown-error.ts';
import type { Wire } from './wire-stream.ts';

/** The store's thread, which is replaced when it ends. */
export type SupervisedThread = Wire & Pick<StoreThread, 'close'>;

export type SupervisedThreadOptions = {
  readonly directory: string;
  readonly log: Logger;
  /** Pause before another thread is started. Default 1,000 ms. */
  readonly pauseMs?: number;
};

const PAUSE_MS = 1_000;

/**
 * Starts PGlite, and restarts it whenever it ends by itself, as a PostgreSQL server does after a crash: committed rows are recovered from
 * its log. Meanwhile connections fail at once. With a full disk it starts once there is space.
 *
 * @throws Error the reason why the first start failed.
 */
export async function startSupervisedThread(options: SupervisedThreadOptions): Promise<SupervisedThread> {
  const { directory, log, pauseMs = PAUSE_MS } = options;
  const closing = new AbortController();
  let current: StoreThread | undefined;
  let running = Promise.resolve();
  let reason = '';
  const keep = (thread: StoreThread): void => {
    current = thread;
    running = thread.ended.then(async (error) => {
      current = undefined;
      if (closing.signal.aborted) return;
      log.error({ err: error, store: directory }, 'the embedded store stopped unexpectedly; restarting it');
      reason = toError(error).message;
      const next = await startAgain(options, pauseMs, closing.signal);
      if (next !== undefined) keep(next);
    });
  };
  keep(await startStoreThread(directory));
  return {
    connect: (receive, lose) => {
      if (current !== undefined) return current.connect(receive, lose);
      queueMicrotask(() => lose(new Error(`the embedded store is restarting: ${reason}`)));
      return () => undefined;
    },
    close: async () => {
      closing.abort();
      await current?.close();
      await running;
    },
  };
}

/** Retries until a thread runs. Undefined: it is being closed. */
async function startAgain(
  { directory, log }: SupervisedThreadOptions,
  pauseMs: number,
  closing: AbortSignal,
): Promise<StoreThread | undefined> {
  let lastReason = '';
  while (await hasPaused(pauseMs, closing)) {
    try {
      assertWhole(directory);
      const thread = await startStoreThread(directory);
      log.warn({ store: directory }, 'the embedded store is running again');
      return thread;
    } catch (error) {
      const reason = toError(error).message;
      if (reason !== lastReason) log.error({ reason, store: directory }, 'the embedded store does not start');
      lastReason = reason;
    }
  }
  return undefined;
}

/** False: it is being closed. */
function hasPaused(pauseMs: number, closing: AbortSignal): Promise<boolean> {
  if (closing.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      closing.removeEventListener('abort', settle);
      resolve(!closing.aborted);
    };
    const timer = setTimeout(settle, pauseMs);
    closing.addEventListener('abort', settle);
  });
}
