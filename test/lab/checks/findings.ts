import { INVARIANT_NAMES, type Invariant } from './invariants.ts';

/** One break of an invariant. */
export type Break = { readonly at_ms: number; readonly invariant: Invariant; readonly what: string };

/** The number of checks of one invariant, and of its breaks. */
export type Seen = { readonly checks: number; readonly breaks: number };

/** The most breaks of each invariant kept with their text; all are counted. */
export const MAX_KEPT = 50;

/** Counts what was looked at for each invariant, and keeps what broke one. */
export class Findings {
  readonly #nowMs: () => number;
  readonly #checks = new Map<Invariant, number>();
  readonly #breaks = new Map<Invariant, number>();
  readonly kept: Break[] = [];

  /** @param nowMs milliseconds since the run began. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Adds to the number of checks. */
  check(invariant: Invariant, count = 1): void {
    this.#checks.set(invariant, (this.#checks.get(invariant) ?? 0) + count);
  }

  /** Notes that an invariant is broken. `what` holds no secret. */
  break(invariant: Invariant, what: string): void {
    const breaks = (this.#breaks.get(invariant) ?? 0) + 1;
    this.#breaks.set(invariant, breaks);
    if (breaks <= MAX_KEPT) this.kept.push({ at_ms: Math.round(this.#nowMs()), invariant, what });
  }

  /** The counts of each invariant, in their order. */
  seen(): Readonly<Record<Invariant, Seen>> {
    return Object.fromEntries(
      INVARIANT_NAMES.map((name) => [
        name,
        { checks: this.#checks.get(name) ?? 0, breaks: this.#breaks.get(name) ?? 0 },
      ]),
    ) as Record<Invariant, Seen>;
  }
}
