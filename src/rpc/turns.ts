/** For what one batch sends to nodes. Lets so many tasks run at the same time; the others wait for their turn, in the order in which they came. */
export class Turns {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs a task when its turn has come, and settles as it does. */
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

/** Runs a task in its turn; at once where nothing takes turns. */
export function inTurn<T>(turns: Turns | undefined, task: () => Promise<T>): Promise<T> {
  return turns === undefined ? task() : turns.take(task);
}
