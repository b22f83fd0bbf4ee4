import type { Connection } from './connection.ts';

/** A connection opened or served within this time is likely to be used again: others are closed before it. */
const FRESH_MS = 1_000;
/** Pause before all connections are scanned again after nearly all were in use. */
const LOOK_AGAIN_MS = 250;
/** If at least one in this many was idle, another full scan costs little per closed connection. */
const CHEAP_SHARE = 8;

/** The connections counted by one limit, and which of them may be closed. */
export class ConnectionGroup {
  readonly #members = new Set<Connection>();
  /** Connections that were idle at the last scan; the longest idle is last. */
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

  /** Updates the idle times; call it about every second. */
  look(nowMs: number): void {
    for (const connection of this.#members) connection.look(nowMs);
  }

  /**
   * Removes and returns the connection that has been idle longest, if there is one. Fresh connections stay, unless most of all
   * are fresh.
   */
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
    // Among those idle since the same moment the first opened goes first: the sort is stable, and is then reversed.
    this.#idle = mayGo.toSorted((a, b) => a.idleSinceMs - b.idleSinceMs).reverse();
    this.#wasCheap = this.#idle.length * CHEAP_SHARE >= this.#members.size;
    this.#lookedAtMs = nowMs;
  }
}
