/** A semaphore for the calls of one batch to nodes: runs a fixed number of tasks at a time; the others wait in arrival order. */
export class Turns {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs a task when a slot is free, and settles with its outcome. */
  async take<T>(task: () => Promise<T>): Promise<T> {
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
export function inTurn<T>(turns: Turns | undefined, task: () => Promise<T>): Promise<T> {
  return turns === undefined ? task() : turns.take(task);
}
