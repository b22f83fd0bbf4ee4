import { COMMITMENTS, type Commitment } from '../../rpc/commitment.ts';

/** The highest slot that a client was shown, and by what. */
export type Floor = { readonly slot: number; readonly by: string };

const NONE: Floor = { slot: 0, by: 'nothing' };

/** The highest slots that a client was shown: at each commitment no answer may show less. */
export class Floors {
  readonly #floors = new Map<Commitment, Floor>();

  at(commitment: Commitment): Floor {
    return this.#floors.get(commitment) ?? NONE;
  }

  /** What is shown at a commitment holds for less certain ones, too. */
  see(commitment: Commitment, slot: number, by: string): void {
    for (const each of COMMITMENTS) {
      if (slot > this.at(each).slot) this.#floors.set(each, { slot, by });
      if (each === commitment) return;
    }
  }
}
