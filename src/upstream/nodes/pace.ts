/** Where the length of a slot is known from. */
export type PaceSource = 'setting' | 'notifications' | 'samples' | 'slots';

export type PaceStanding = { readonly slotMs: number | null; readonly source: PaceSource | null };

type Mark = { readonly slot: number; readonly atMs: number };

const MARK_MS = 1_000;
/** So many notifications count, of one in a second at most: a minute, or longer where slots are. */
const KEPT_MARKS = 60;
/** Before so long, and so many slots, they tell nothing. */
const LEAST_MS = 5_000;
const LEAST_SLOTS = 2;
/** Half of the shortest slot that an embedded ledger can be told to make, and twice the longest: beyond that something else was measured. */
const SHORTEST_MS = 5;
const LONGEST_MS = 120_000;
/** A slot of another fork is behind the newest by no more; what is further behind is of another chain, or of one that began anew. */
const FORK_SLOTS = 64;

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

  /** From 5 ms to two minutes, or what was set; undefined while nothing is known. */
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

  /** A node has just announced a slot. One of another fork tells nothing. */
  announce(slot: number): void {
    if (!isCount(slot)) return;
    const behind = (this.#newest?.slot ?? slot) - slot;
    if (behind > FORK_SLOTS) this.forget();
    else if (behind > 0) return;
    const mark = { slot, atMs: this.#nowMs() };
    this.#newest = mark;
    const last = this.#marks.at(-1);
    if (last === undefined || mark.atMs - last.atMs >= MARK_MS) this.#marks.push(mark);
    if (this.#marks.length > KEPT_MARKS) this.#marks.shift();
    this.#measure(this.#marks[0], mark);
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

  /**
   * So many slots took so long, as a node's samples say or its slots at two times.
   *
   * @returns false for what no chain does: it is not taken.
   */
  measure(slots: number, ms: number, source: Exclude<PaceSource, 'setting'>): boolean {
    const slotMs = ms / slots;
    if (!(slots > 0 && slotMs >= SHORTEST_MS && slotMs <= LONGEST_MS)) return false;
    this.#known = { slotMs, source };
    return true;
  }

  #measure(from: Mark | undefined, to: Mark): void {
    if (from === undefined) return;
    const [slots, ms] = [to.slot - from.slot, to.atMs - from.atMs];
    if (slots >= LEAST_SLOTS && ms >= LEAST_MS) this.measure(slots, ms, 'notifications');
  }
}

/** Whether slots or seconds can be so many. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
