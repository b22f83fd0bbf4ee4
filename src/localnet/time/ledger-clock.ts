/** The clock of a ledger: in step with the machine's, ahead of it, behind it, or stopped. Times in milliseconds since 1970. */
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

  /** Resumes from the time at which it was stopped. */
  start(): void {
    const nowMs = this.nowMs();
    this.#stoppedMs = undefined;
    this.set(nowMs);
  }

  /** Sets the time. */
  set(nowMs: number): void {
    if (this.isStopped) this.#stoppedMs = nowMs;
    else this.#aheadMs = nowMs - this.#machineMs();
  }
}
