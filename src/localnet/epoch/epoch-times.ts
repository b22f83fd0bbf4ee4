/** The start of each epoch that has a block, in Unix seconds. */
export class EpochTimes {
  #starts: ReadonlyMap<bigint, bigint>;

  /** `epoch`: the one in which the chain starts, at `time`. */
  constructor(epoch: bigint, time: bigint) {
    this.#starts = new Map([[epoch, time]]);
  }

  /** Records the start of an epoch. */
  begin(epoch: bigint, time: bigint): void {
    this.#starts = new Map([...this.#starts, [epoch, time]]);
  }

  /** Returns all of them, for `goTo`. */
  take(): ReadonlyMap<bigint, bigint> {
    return this.#starts;
  }

  goTo(starts: ReadonlyMap<bigint, bigint>): void {
    this.#starts = starts;
  }

  start(epoch: bigint): bigint {
    return this.#starts.get(epoch) ?? 0n;
  }
}
