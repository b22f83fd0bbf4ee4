/** Close each slot after its length, or with the first transaction that lands in it. */
export type BlockProduction = 'interval' | 'transaction';

/** The length of slots, and when they are closed; both can change while the ledger runs. */
export class SlotPace {
  #slotMs: number;
  #production: BlockProduction = 'interval';
  readonly #listeners = new Set<() => void>();

  constructor(slotMs: number) {
    this.#slotMs = slotMs;
  }

  get slotMs(): number {
    return this.#slotMs;
  }

  get production(): BlockProduction {
    return this.#production;
  }

  change({
    slotMs = this.#slotMs,
    production = this.#production,
  }: Partial<Pick<SlotPace, 'slotMs' | 'production'>>): void {
    this.#slotMs = slotMs;
    this.#production = production;
    this.announce();
  }

  /** Calls back on every change, and when the clock is stopped or started. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
