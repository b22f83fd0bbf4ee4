import type { Connection } from './connection.ts';

/** A connection that was opened or served so lately is likely to be used: others are ended before it. */
const FRESH_MS = 1_000;
/** How soon all are looked at again that were nearly all in use. */
const LOOK_AGAIN_MS = 250;
/** When at least one in so many was idle, looking at all of them again costs little for each that is ended. */
const CHEAP_SHARE = 8;

/** The connections that one bound counts, and which of them can go. */
export class ConnectionGroup {
  readonly #members = new Set<Connection>();
  /** Those that were idle when all were looked at; the one that was idle longest is the last. */
  #idle: Connection[] = [];
  #wasCheap = true;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#members.size;
  }

  add(connection: Connection): void {
    this.#members.add(connection);
  }

  delete(connection: Connection): void {
    this.#members.delete(connection);
  }

  /** Keeps the times up to date; to be called every second or so. */
  look(nowMs: number): void {
    for (const connection of this.#members) connection.look(nowMs);
  }

  /** The connection that has been idle longest, if one is. Connections that are fresh stay, unless they are most of all. */
  takeIdle(nowMs: number): Connection | undefined {
    const found = this.#nextIdle();
    if (found !== undefined) return found;
    if (!this.#wasCheap && nowMs - this.#lookedAtMs < LOOK_AGAIN_MS) return undefined;
    this.#findIdle(nowMs);
    return this.#nextIdle();
  }

  #nextIdle(): Connection | undefined {
    for (;;) {
      const next = this.#idle.pop();
      if (next === undefined || (this.#members.has(next) && next.isIdle)) return next;
    }
  }

  #findIdle(nowMs: number): void {
    this.look(nowMs);
    const idle = [...this.#members].filter(({ isIdle }) => isIdle);
    const isFlood = idle.length * 2 >= this.#members.size;
    const mayGo = isFlood ? idle : idle.filter(({ idleSinceMs }) => nowMs - idleSinceMs >= FRESH_MS);
    // Of those idle since the same moment the one opened first goes first: the sort keeps the order, which is then turned.
    this.#idle = mayGo.toSorted((a, b) => a.idleSinceMs - b.idleSinceMs).reverse();
    this.#wasCheap = this.#idle.length * CHEAP_SHARE >= this.#members.size;
    this.#lookedAtMs = nowMs;
  }
}
