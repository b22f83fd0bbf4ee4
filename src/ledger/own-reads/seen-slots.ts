import { COMMITMENTS, type Commitment } from '../../rpc/commitment.ts';

type Mark = { readonly value: number; readonly atMs: number };
type Marks = Partial<Record<Commitment, Mark>>;

/** The value of a mark and its age in milliseconds, for each of COMMITMENTS in order; value 0: there is none. */
export type SentMarks = readonly number[];
/** What a reader has seen, as another gateway is told of it: by a name from which nobody learns who it is. */
export type SentSeen = readonly [name: string, slots: SentMarks, heights: SentMarks];

/** What is seen counts for this long: by then a node that has not reached it is too far behind to be asked, or the chain began anew. */
export const REMEMBERED_MS = 60_000;

/** Called when a reader was shown something newer than before. It is part of a request, and must be quick. */
export type OnSeen = (seen: SeenSlots) => void;

/** What it takes to tell other gateways of a reader. */
export type SharedReader = {
  /** The name of the reader at all gateways. */
  readonly name: string;
  readonly onSeen: OnSeen;
};

/** The highest slots and block heights that one reader has seen, by commitment. */
export class SeenSlots {
  /** Undefined: nobody else is told. */
  readonly shared: SharedReader | undefined;
  readonly #slots: Marks = {};
  readonly #heights: Marks = {};

  constructor(shared?: SharedReader) {
    this.shared = shared;
  }

  /** Notes a slot that the reader is shown. What is final is confirmed and processed, too. */
  noteSlot(commitment: Commitment, slot: number, nowMs: number): void {
    if (raise(this.#slots, commitment, slot, nowMs)) this.shared?.onSeen(this);
  }

  noteHeight(commitment: Commitment, height: number, nowMs: number): void {
    if (raise(this.#heights, commitment, height, nowMs)) this.shared?.onSeen(this);
  }

  /** The slot that the next answer at a commitment must have reached; 0: any will do. */
  slot(commitment: Commitment, nowMs: number): number {
    return read(this.#slots, commitment, nowMs);
  }

  /** The same as a block height. */
  height(commitment: Commitment, nowMs: number): number {
    return read(this.#heights, commitment, nowMs);
  }

  /** Returns what another gateway is told. */
  send(nowMs: number): SentSeen {
    return [this.shared?.name ?? '', send(this.#slots, nowMs), send(this.#heights, nowMs)];
  }

  /** Takes over what another gateway has shown the reader, `ageMs` after it said so. */
  learn([, slots, heights]: SentSeen, ageMs: number, nowMs: number): void {
    learn(this.#slots, slots, ageMs, nowMs);
    learn(this.#heights, heights, ageMs, nowMs);
  }
}

/** @returns true if something became higher. */
function raise(marks: Marks, commitment: Commitment, value: number, nowMs: number): boolean {
  let isHigher = false;
  for (const each of COMMITMENTS) {
    const known = read(marks, each, nowMs);
    if (value >= known) marks[each] = { value, atMs: nowMs };
    if (value > known) isHigher = true;
    if (each === commitment) break;
  }
  return isHigher;
}

function read(marks: Marks, commitment: Commitment, nowMs: number): number {
  const mark = marks[commitment];
  return mark === undefined || nowMs - mark.atMs > REMEMBERED_MS ? 0 : mark.value;
}

function send(marks: Marks, nowMs: number): SentMarks {
  return COMMITMENTS.flatMap((each) => {
    const value = read(marks, each, nowMs);
    return value === 0 ? [0, 0] : [value, Math.round(nowMs - (marks[each]?.atMs ?? nowMs))];
  });
}

function learn(marks: Marks, sent: SentMarks, laterMs: number, nowMs: number): void {
  for (const [index, each] of COMMITMENTS.entries()) {
    const [value = 0, ageMs = 0] = sent.slice(2 * index, 2 * index + 2);
    const atMs = nowMs - ageMs - Math.max(0, laterMs);
    const known = read(marks, each, nowMs);
    if (value > 0 && (value > known || (value === known && atMs > (marks[each]?.atMs ?? -Infinity))))
      marks[each] = { value, atMs };
  }
}
