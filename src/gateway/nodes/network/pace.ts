/** The source of the slot time. */
export type PaceSource = 'setting' | 'notifications' | 'samples' | 'slots';

export type PaceState = { readonly slotMs: number | null; readonly source: PaceSource | null };

type Mark = { readonly slot: number; readonly atMs: number };

const MARK_MS = 1_000;
/** The most notifications kept, at most one per second: a minute's worth, or more where slots are longer. */
const KEPT_MARKS = 60;
/** Notifications over less time, or fewer slots, give no slot time. */
const LEAST_MS = 5_000;
const LEAST_SLOTS = 2;
/**
 * Half of the shortest slot time that an embedded ledger can be set to, and twice the longest: a measurement outside of that is
 * wrong.
 */
const SHORTEST_MS = 5;
const LONGEST_MS = 120_000;
/** A slot of another fork is behind the newest by at most this; anything further behind is from another chain, or a restarted one. */
const FORK_SLOTS = 64;

/** Measures the slot time of one network, as the chain's pace changes and no node reports it. */
export class Pace {
  readonly #nowMs: () => number;
  #marks: Mark[] = [];
  #newest: Mark | undefined;
  #known: { readonly slotMs: number; readonly source: PaceSource } | undefined;

  /** `settingMs`: the slot time set for an embedded ledger. */
  constructor(nowMs: () => number, settingMs?: number) {
    this.#nowMs = nowMs;
    this.#known = settingMs === undefined ? undefined : { slotMs: settingMs, source: 'setting' };
  }

  /** Milliseconds per slot: from 5 ms to two minutes, or the setting; undefined while it is unknown. */
  get slotMs(): number | undefined {
    return this.#known?.slotMs;
  }

  /** The newest slot that a node announced; undefined while none announces slots. */
  get newestSlot(): number | undefined {
    return this.#newest?.slot;
  }

  standing(): PaceState {
    const { slotMs = null, source = null } = this.#known ?? {};
    return { slotMs, source };
  }

  /** Returns the number of slots that begin in `ms`; undefined while it is unknown. */
  slotsIn(ms: number): number | undefined {
    return this.slotMs === undefined ? undefined : Math.ceil(ms / this.slotMs);
  }

  /** Records a slot that a node has just announced. A slot of another fork is ignored. */
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

  /** Drops the announcements of a lost node: the next node starts over. The measured slot time stays. */
  forget(): void {
    this.#marks = [];
    this.#newest = undefined;
  }

  /** True if notifications currently give the slot time. */
  get isAnnounced(): boolean {
    return this.#newest !== undefined && this.#known?.source === 'notifications';
  }

  /**
   * Records that `slots` slots took `ms`, from a node's samples or its slots at two times.
   *
   * @returns false if no chain has such a slot time: it is ignored.
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

/** True for a valid number of slots or seconds. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
