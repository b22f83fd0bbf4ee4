/** Target duration of a group, so that lines keep coming at any pace of the key backend. */
const TARGET_MS = 1_000;
/** Enough to keep every session of a token busy, and the maximum of one group. */
const [MIN, MAX] = [16, 512];
/** Maximum growth from one group to the next: a pace measured over few keys is unreliable. */
const MAX_GROWTH = 8;

/**
 * Number of keys to make together: as many as the backend makes in a second, by its last pace. The first group is small, so that the first
 * line is sent at once.
 */
export class PacedSize {
  readonly #nowMs: () => number;
  #size = MIN;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#size;
  }

  /** Makes `count` keys, and uses their pace for the next group. */
  async measured<T>(count: number, make: () => Promise<T>): Promise<T> {
    const startMs = this.#nowMs();
    const made = await make();
    const tookMs = this.#nowMs() - startMs;
    const inTarget = Math.floor((count * TARGET_MS) / Math.max(tookMs, 1));
    this.#size = Math.min(Math.max(inTarget, MIN), count * MAX_GROWTH, MAX);
    return made;
  }
}
