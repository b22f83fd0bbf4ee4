/** For the calls of a batch that are sent by themselves. Lets so many tasks run at the same time; the others wait for their turn, in the order in which they came. */
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
