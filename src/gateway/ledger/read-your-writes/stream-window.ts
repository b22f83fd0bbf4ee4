type Entry = { readonly atMs: number; readonly bytes: number };

/** Bytes that Redis needs for an entry, about, without those of its report. */
const ENTRY_BYTES = 128;

export type WindowLimits = { readonly maxAgeMs: number; readonly maxBytes: number };

/** The entries of a stream that are worth keeping: the newest ones, up to an age and a number of bytes. */
export class StreamWindow {
  readonly #limits: WindowLimits;
  readonly #entries: Entry[] = [];
  #bytes = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /** Notes an entry, later than those before it. @param atMs when Redis took it. @param bytes of its report. */
  note(atMs: number, bytes: number): void {
    const entry = { atMs, bytes: bytes + ENTRY_BYTES };
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    this.#drop(atMs);
  }

  /** Returns how many of the entries are worth keeping at `nowMs`, on the clock of Redis. */
  count(nowMs: number): number {
    this.#drop(nowMs);
    return this.#entries.length;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#bytes = 0;
  }

  #drop(nowMs: number): void {
    const { maxAgeMs, maxBytes } = this.#limits;
    for (let first = this.#entries[0]; first !== undefined; first = this.#entries[0]) {
      if (this.#bytes <= maxBytes && nowMs - first.atMs <= maxAgeMs) return;
      this.#entries.shift();
      this.#bytes -= first.bytes;
    }
  }
}
