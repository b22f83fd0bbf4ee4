/** A group takes about so long, so that lines keep coming at any pace of the key backend. */
const TARGET_MS = 1_000;
/** Enough to keep every session of a token busy, and the most that one group has. */
const [MIN, MAX] = [16, 512];
/** A group is at most so many times the one before: one pace, measured over few keys, says little. */
const MAX_GROWTH = 8;

/** How many keys to make together: as many as the backend makes in a second, by what it did last. The first group is small, so that the first line leaves at once. */
export class PacedSize {
  readonly #nowMs: () => number;
  #size = MIN;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#size;
  }

  /** Makes `count` keys, and takes its pace as that of the next group. */
  async measured<T>(count: number, make: () => Promise<T>): Promise<T> {
    const startMs = this.#nowMs();
    const made = await make();
    const tookMs = this.#nowMs() - startMs;
    const inTarget = Math.floor((count * TARGET_MS) / Math.max(tookMs, 1));
    this.#size = Math.min(Math.max(inTarget, MIN), count * MAX_GROWTH, MAX);
    return made;
  }
}
