/** Where the length of a slot is known from. */
export type PaceSource = 'setting' | 'notifications' | 'samples' | 'slots';

export type PaceStanding = { readonly slotMs: number | null; readonly source: PaceSource | null };

type Mark = { readonly slot: number; readonly atMs: number };

const MARK_MS = 1_000;
/** Notifications of the last minute count, at one a second. */
const KEPT_MARKS = 60;
/** Before so long, and so many slots, they tell nothing. */
const LEAST_MS = 5_000;
const LEAST_SLOTS = 2;

/** How long a slot of one network takes: measured, as the chain's pace changes and no node says it. */
export class Pace {
  readonly #nowMs: () => number;
  #marks: Mark[] = [];
  #newest: Mark | undefined;
  #known: { readonly slotMs: number; readonly source: PaceSource } | undefined;

  /** `settingMs`: what an embedded ledger was told. */
  constructor(nowMs: () => number, settingMs?: number) {
    this.#nowMs = nowMs;
    this.#known = settingMs === undefined ? undefined : { slotMs: settingMs, source: 'setting' };
  }

  /** Milliseconds; undefined while nothing is known. */
  get slotMs(): number | undefined {
    return this.#known?.slotMs;
  }

  standing(): PaceStanding {
    const { slotMs = null, source = null } = this.#known ?? {};
    return { slotMs, source };
  }

  /** How many slots begin in so long; undefined while nothing is known. */
  slotsIn(ms: number): number | undefined {
    return this.slotMs === undefined ? undefined : Math.ceil(ms / this.slotMs);
  }

  /** A node has just announced a slot. */
  announce(slot: number): void {
    const mark = { slot, atMs: this.#nowMs() };
    if (this.#newest !== undefined && slot < this.#newest.slot) this.forget();
    this.#newest = mark;
    const last = this.#marks.at(-1);
    if (last === undefined || mark.atMs - last.atMs >= MARK_MS) this.#marks.push(mark);
    if (this.#marks.length > KEPT_MARKS) this.#marks.shift();
    this.#measure(this.#marks[0], mark, 'notifications');
  }

  /** The node that announced slots is lost: the next one begins anew. What was measured holds on. */
  forget(): void {
    this.#marks = [];
    this.#newest = undefined;
  }

  /** Whether notifications tell it at present. */
  get isAnnounced(): boolean {
    return this.#newest !== undefined && this.#known?.source === 'notifications';
  }

  /** So many slots took so long, as a node's samples say or its slots at two times. */
  measure(slots: number, ms: number, source: 'samples' | 'slots'): void {
    if (slots > 0 && ms > 0) this.#known = { slotMs: ms / slots, source };
  }

  #measure(from: Mark | undefined, to: Mark, source: PaceSource): void {
    if (from === undefined) return;
    const [slots, ms] = [to.slot - from.slot, to.atMs - from.atMs];
    if (slots >= LEAST_SLOTS && ms >= LEAST_MS) this.#known = { slotMs: ms / slots, source };
  }
}
