/** The clock of a ledger: it runs with that of the machine, ahead of it or behind, or stands. Times in milliseconds since 1970. */
export class LedgerClock {
  readonly #machineMs: () => number;
  #aheadMs = 0;
  #stoppedMs: number | undefined;

  constructor(machineMs: () => number) {
    this.#machineMs = machineMs;
  }

  nowMs(): number {
    return this.#stoppedMs ?? this.#machineMs() + this.#aheadMs;
  }

  get isStopped(): boolean {
    return this.#stoppedMs !== undefined;
  }

  stop(): void {
    this.#stoppedMs = this.nowMs();
  }

  /** Runs on from the time at which it was stopped. */
  start(): void {
    const nowMs = this.nowMs();
    this.#stoppedMs = undefined;
    this.set(nowMs);
  }

  /** Shows a time from now on. */
  set(nowMs: number): void {
    if (this.isStopped) this.#stoppedMs = nowMs;
    else this.#aheadMs = nowMs - this.#machineMs();
  }
}
