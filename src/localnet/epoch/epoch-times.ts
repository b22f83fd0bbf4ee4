/** The start of each epoch, in Unix seconds. One number per epoch, which is a day at the usual pace. */
export class EpochTimes {
  readonly #starts: bigint[];

  constructor(genesisTime: bigint) {
    this.#starts = [genesisTime];
  }

  /** Records the start of the next epoch. */
  begin(time: bigint): void {
    this.#starts.push(time);
  }

  start(epoch: bigint): bigint {
    return this.#starts[Number(epoch)] ?? 0n;
  }
}
