import { COMMITMENTS, type Commitment } from '../../rpc/commitment.ts';
import type { BatchRoute, Judgement } from '../../upstream/upstream.ts';
import { isNullAnswer, readAnswerSlot } from './answer-slot.ts';
import { commitmentOf, factsOf, type Read } from './read-facts.ts';
import type { SeenSlots } from './seen-slots.ts';

type Marks = { slot: number; height: number };

/**
 * The answers to calls of one reader that are sent together. Make it before they are sent: each is held against what the reader had seen by
 * then, like the answer to a single call. What they show is noted once, for all.
 */
export class AnswersTogether {
  readonly #seen: SeenSlots;
  readonly #isOn: boolean;
  readonly #nowMs: () => number;
  readonly #floors: Record<Commitment, Readonly<Marks>>;
  readonly #shown: Record<Commitment, Marks>;

  constructor(seen: SeenSlots, { isOn, nowMs }: { readonly isOn: boolean; readonly nowMs: () => number }) {
    this.#seen = seen;
    this.#isOn = isOn;
    this.#nowMs = nowMs;
    const startMs = nowMs();
    const floor = (each: Commitment): Marks => {
      return { slot: seen.slot(each, startMs), height: seen.height(each, startMs) };
    };
    this.#floors = {
      processed: floor('processed'),
      confirmed: floor('confirmed'),
      finalized: floor('finalized'),
    };
    this.#shown = { processed: newMarks(), confirmed: newMarks(), finalized: newMarks() };
  }

  /** Judges an answer that is no error: `behind` one that shows less than the reader has seen. */
  take(call: Read, body: Buffer): Judgement {
    const facts = factsOf(call);
    if (facts.history === 'signature' && isNullAnswer(body)) return 'absent';
    const commitment = commitmentOf(facts, call.params);
    if (commitment === undefined) return 'good';
    const floor = this.#floors[commitment];
    const { slot = Infinity, height = Infinity } = readAnswerSlot(facts, body);
    if (slot < floor.slot || height < floor.height) return 'behind';
    const shown = this.#shown[commitment];
    if (slot !== Infinity && slot > shown.slot) shown.slot = slot;
    if (height !== Infinity && height > shown.height) shown.height = height;
    return 'good';
  }

  /** Notes what the answers have shown the reader, and of their node. */
  note(noteOfNode: BatchRoute['noteSlot']): void {
    const nowMs = this.#nowMs();
    for (const commitment of COMMITMENTS) {
      const { slot, height } = this.#shown[commitment];
      if (slot > 0) noteOfNode?.({ commitment, slot });
      if (!this.#isOn) continue;
      if (slot > 0) this.#seen.noteSlot(commitment, slot, nowMs);
      if (height > 0) this.#seen.noteHeight(commitment, height, nowMs);
    }
  }
}

function newMarks(): Marks {
  return { slot: 0, height: 0 };
}
