import { serviceError } from '../../core/service-error.ts';
import { Semaphore } from '../../core/rpc/semaphore.ts';

/** The limit of what one caller may have in progress. */
type ConcurrencyFigures = {
  /** Requests that are served at the same time. */
  readonly served: number;
  /** Requests that wait behind them, in arrival order. */
  readonly waiting: number;
};

const RETRY_AFTER_SECONDS = 1;

/** Bounds the requests in progress of each caller, so that none of them can take the server for itself. */
export class ConcurrencyLimit {
  readonly #figures: ConcurrencyFigures;
  /** The semaphores of callers with a request in progress. */
  readonly #callers = new Map<string, Semaphore>();
  /** The semaphores of accounts, shared by their callers. */
  readonly #accounts = new Map<string, Semaphore>();

  constructor(figures: ConcurrencyFigures) {
    this.#figures = figures;
  }

  /**
   * Runs a caller's task, once fewer are running of the caller, and of the account, than are served at the same time.
   * @throws ServiceError `tooManyRequestsAtOnce` when as many wait as may.
   */
  async run<T>(caller: string, task: () => Promise<T>, account = caller): Promise<T> {
    const { served, waiting } = this.#figures;
    const semaphore = this.#callers.get(caller) ?? new Semaphore(served);
    if (semaphore.inProgress >= served + waiting) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      throw serviceError('tooManyRequestsAtOnce', { limit: served, waiting, retryAfterSeconds });
    }
    this.#callers.set(caller, semaphore);
    try {
      return await semaphore.withPermit(() => this.#runOfAccount(account, caller, task));
    } finally {
      if (semaphore.inProgress === 0) this.#callers.delete(caller);
    }
  }

  async #runOfAccount<T>(account: string, caller: string, task: () => Promise<T>): Promise<T> {
    const semaphore = this.#accounts.get(account) ?? new Semaphore(this.#figures.served);
    this.#accounts.set(account, semaphore);
    try {
      return await semaphore.withPermit(task, caller);
    } finally {
      if (semaphore.inProgress === 0) this.#accounts.delete(account);
    }
  }
}
