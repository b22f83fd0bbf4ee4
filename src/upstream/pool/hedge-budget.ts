/** Most hedges at once after a quiet time. */
const MOST = 10;

/** Bounds hedged reads to a share of all reads: each read earns a part of a hedge. */
export class HedgeBudget {
  #hedges = 0;

  earn(share: number): void {
    this.#hedges = Math.min(MOST, this.#hedges + share);
  }

  /** Takes one hedge. @returns false if there is none. */
  take(): boolean {
    if (this.#hedges < 1) return false;
    this.#hedges--;
    return true;
  }
}
