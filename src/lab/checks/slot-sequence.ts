/** The slots that a subscription or a stream tells of, of which there is one after the other: what is missing must be said. */
export class SlotSequence {
  readonly faults: string[] = [];
  readonly name: string;
  #next: number | undefined;
  /** Set by a gap: the next slot may be any until behind its end. */
  #gapEnd: number | undefined;
  /** What was told, gaps included. */
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
