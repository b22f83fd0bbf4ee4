const KEPT = 128;
/** Fewer answers give no quantile. */
const LEAST = 32;
/** Whoever asks for the quantile gets one that misses fewer answers than this. */
const STEP = 32;
const QUANTILE = 0.95;

/** The times that the last answers of a node took. */
export class Latencies {
  readonly #ms = new Float64Array(KEPT);
  #count = 0;
  #p95Ms: number | undefined;
  /** The count at which it was computed. */
  #measuredAt = 0;

  add(ms: number): void {
    this.#ms[this.#count % KEPT] = ms;
    this.#count++;
  }

  /** Milliseconds within which 95 of 100 answers came; undefined until there are enough of them. */
  get p95Ms(): number | undefined {
    if (this.#count >= LEAST && this.#count >= this.#measuredAt + STEP) {
      this.#p95Ms = this.#measure();
      this.#measuredAt = this.#count;
    }
    return this.#p95Ms;
  }

  #measure(): number | undefined {
    const sorted = this.#ms.slice(0, Math.min(this.#count, KEPT)).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * QUANTILE))];
  }
}
