/** Runs a fixed number of tasks at a time; the others wait in arrival order. */
export class Semaphore {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of tasks that run or wait. */
  get inProgress(): number {
    return this.#running + this.#waiting.length;
  }

  /** Runs a task when a slot is free, and settles with its outcome. */
  async withPermit<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running === this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Runs a task through the semaphore; at once where there is none. */
export function withPermit<T>(semaphore: Semaphore | undefined, task: () => Promise<T>): Promise<T> {
  return semaphore === undefined ? task() : semaphore.withPermit(task);
}
