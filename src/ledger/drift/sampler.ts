/** Stands for all names that were not given beforehand. */
const OTHER = '';

/** Samples that may have been saved up, for names that come rarely. */
const MAX_SAVED = 4;

export type SamplerOptions = {
  /** Every name that answers are told apart by. All others are one. */
  readonly names: Iterable<string>;
  /** From 0 to 1. */
  readonly random: () => number;
};

/**
 * Chooses which answers of one node are looked at: the first of each name, and then one for each tick, four more at most after quiet ones.
 * A name that was looked at has to wait, at random, for about twice as many ticks as there are names: half of the ticks are left for what comes rarely.
 */
export class Sampler {
  /** The tick from which on a name is looked at; 0: it never was. */
  readonly #dueAt = new Map<string, number>();
  readonly #random: () => number;
  #tick = 1;
  #saved = 0;
  /** How many names were looked at. */
  #seen = 0;

  constructor({ names, random }: SamplerOptions) {
    this.#random = random;
    for (const name of names) this.#dueAt.set(name, 0);
    this.#dueAt.set(OTHER, 0);
  }

  /** Whether an answer of this name is to be looked at. It costs a look into a table. */
  isDue(name: string): boolean {
    const dueAt = this.#dueAt.get(name) ?? this.#dueAt.get(OTHER) ?? 0;
    return dueAt === 0 || (this.#saved > 0 && dueAt <= this.#tick);
  }

  /** An answer of this name, which is due, is looked at. */
  take(name: string): void {
    const key = this.#dueAt.has(name) ? name : OTHER;
    if (this.#dueAt.get(key) === 0) this.#seen += 1;
    else this.#saved -= 1;
    this.#dueAt.set(key, this.#tick + Math.ceil(this.#seen * (1 + 2 * this.#random())));
  }

  /** The time of one sample has passed. */
  tick(): void {
    this.#tick += 1;
    this.#saved = Math.min(this.#saved + 1, MAX_SAVED);
  }
}
