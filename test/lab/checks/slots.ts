import { type Commitment, COMMITMENTS } from '../../../src/core/rpc/commitment.ts';

/** The highest slot that a client was shown, and by what. */
export type Floor = { readonly slot: number; readonly by: string };

const NONE: Floor = { slot: 0, by: 'nothing' };

/** The highest slots that a client was shown: at each commitment no answer may show less. */
export class Floors {
  readonly #floors = new Map<Commitment, Floor>();

  at(commitment: Commitment): Floor {
    return this.#floors.get(commitment) ?? NONE;
  }

  /** Notes a shown slot. It holds for less certain commitments, too. */
  see(commitment: Commitment, slot: number, by: string): void {
    for (const each of COMMITMENTS) {
      if (slot > this.at(each).slot) this.#floors.set(each, { slot, by });
      if (each === commitment) return;
    }
  }
}

/** The slots that a subscription or a stream tells of, of which there is one after the other: what is missing must be said. */
export class SlotSequence {
  readonly faults: string[] = [];
  readonly name: string;
  #next: number | undefined;
  /** Set by a gap: the next slot may be any until behind its end. */
  #gapEnd: number | undefined;
  /** The number of notifications received, gaps included. */
  told = 0;
  gaps = 0;

  constructor(name: string) {
    this.name = name;
  }

  tell(slot: number): void {
    this.told++;
    const next = this.#next ?? slot;
    if (slot < next || slot > Math.max(next, (this.#gapEnd ?? 0) + 1))
      this.faults.push(`${this.name}: slot ${slot} was told in place of ${next}`);
    this.#next = slot + 1;
    // The state that follows a gap may be of a slot in it, where the node that was asked for it answers from a while ago.
    if (slot >= (this.#gapEnd ?? 0)) this.#gapEnd = undefined;
  }

  tellGap(from: number, to: number): void {
    this.told++;
    this.gaps++;
    if (this.#next !== undefined && from > Math.max(this.#next, (this.#gapEnd ?? 0) + 1))
      this.faults.push(`${this.name}: a gap from ${from} leaves out ${this.#next}`);
    this.#gapEnd = Math.max(to, this.#gapEnd ?? 0);
  }
}
