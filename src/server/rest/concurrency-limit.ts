import { serviceError } from '../../base/service-error.ts';
import { Semaphore } from '../../rpc/semaphore.ts';

/** The limit of what one caller may have in progress. */
export type ConcurrencyFigures = {
  /** Requests that are served at the same time. */
  readonly served: number;
  /** Requests that wait behind them, in arrival order. */
  readonly waiting: number;
};

const RETRY_AFTER_SECONDS = 1;

/** Bounds the requests in progress of each caller, so that none of them can take the server for itself. */
export class ConcurrencyLimit {
  readonly #figures: ConcurrencyFigures;
  /** Those of callers who have a request in progress. */
  readonly #callers = new Map<string, Semaphore>();

  constructor(figures: ConcurrencyFigures) {
    this.#figures = figures;
  }

  /**
   * Runs a caller's task, once fewer of his are running than are served at the same time.
   * @throws ServiceError `tooManyRequestsAtOnce` when as many wait as may.
   */
  async run<T>(caller: string, task: () => Promise<T>): Promise<T> {
    const { served, waiting } = this.#figures;
    const semaphore = this.#callers.get(caller) ?? new Semaphore(served);
    if (semaphore.inProgress >= served + waiting) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      throw serviceError('tooManyRequestsAtOnce', { limit: served, waiting, retryAfterSeconds });
    }
    this.#callers.set(caller, semaphore);
    try {
      return await semaphore.withPermit(task);
    } finally {
      if (semaphore.inProgress === 0) this.#callers.delete(caller);
    }
  }
}
