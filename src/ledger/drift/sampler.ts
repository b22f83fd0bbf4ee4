/** The key for all names that were not given in advance. */
const OTHER = '';

/** Most samples that can be saved up, for rare names. */
const MAX_SAVED = 4;

export type SamplerOptions = {
  /** The names that answers are grouped by. All others count as one. */
  readonly names: Iterable<string>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
};

/**
 * Chooses the answers of one node to check: the first of each name, and then one per tick, up to four more after quiet ticks. A
 * name that was checked waits, at random, for about twice as many ticks as there are names: half of the ticks are left for rare
 * names.
 */
export class Sampler {
  /** The tick from which a name is due; 0: never checked. */
  readonly #dueAt = new Map<string, number>();
  readonly #random: () => number;
  #tick = 1;
  #saved = 0;
  /** The number of names that were checked. */
  #seen = 0;

  constructor({ names, random }: SamplerOptions) {
    this.#random = random;
    for (const name of names) this.#dueAt.set(name, 0);
    this.#dueAt.set(OTHER, 0);
  }

  /** True if an answer of this name is due. Costs one table lookup. */
  isDue(name: string): boolean {
    const dueAt = this.#dueAt.get(name) ?? this.#dueAt.get(OTHER) ?? 0;
    return dueAt === 0 || (this.#saved > 0 && dueAt <= this.#tick);
  }

  /** Counts a due answer of this name as checked. */
  take(name: string): void {
    const key = this.#dueAt.has(name) ? name : OTHER;
    if (this.#dueAt.get(key) === 0) this.#seen += 1;
    else this.#saved -= 1;
    this.#dueAt.set(key, this.#tick + Math.ceil(this.#seen * (1 + 2 * this.#random())));
  }

  /** Call it once per sampling interval. */
  tick(): void {
    this.#tick += 1;
    this.#saved = Math.min(this.#saved + 1, MAX_SAVED);
  }
}
