import { COMMITMENTS, type Commitment, type Slots } from '../../rpc/commitment.ts';

type Mark = { readonly slot: number; readonly atMs: number };

/** A slot of another fork is behind the newest by at most this many. */
export const FORK_SLOTS = 64;

const UNKNOWN: Mark = { slot: 0, atMs: 0 };

/** The newest slots that one node is known to have reached, by commitment, and when it was known to have reached them. */
export class NodeSlots implements Slots {
  /** When its newest processed slot rose last; 0: never yet. */
  risenAtMs = 0;
  readonly #marks: Record<Commitment, Mark> = { processed: UNKNOWN, confirmed: UNKNOWN, finalized: UNKNOWN };

  get processed(): number {
    return this.#marks.processed.slot;
  }

  get confirmed(): number {
    return this.#marks.confirmed.slot;
  }

  get finalized(): number {
    return this.#marks.finalized.slot;
  }

  /** Notes a slot of an answer or a notification, and with it what comes before it: finalized slots are confirmed, too. */
  note(commitment: Commitment, slot: number, nowMs: number): void {
    if (slot > this.processed) this.risenAtMs = nowMs;
    for (const each of COMMITMENTS) {
      if (slot >= this.#marks[each].slot) this.#marks[each] = { slot, atMs: nowMs };
      if (each === commitment) return;
    }
  }

  /**
   * Notes the slot that the node gave when it was asked for it: it may be lower than the known one, behind which another node
   * may have been.
   *
   * @returns the slot that it has gone back from, if that is more than a fork explains.
   */
  read(commitment: Commitment, slot: number, nowMs: number): number | undefined {
    const known = this.#marks[commitment].slot;
    if (commitment === 'processed' && slot !== known) this.risenAtMs = nowMs;
    this.#marks[commitment] = { slot, atMs: nowMs };
    return known - slot > FORK_SLOTS ? known : undefined;
  }

  /** Returns the slot that the node has by now, if it has kept to the pace since; 0 if none is known. */
  expected(commitment: Commitment, nowMs: number, slotMs: number | undefined): number {
    const { slot, atMs } = this.#marks[commitment];
    return slot === 0 || slotMs === undefined ? slot : slot + (nowMs - atMs) / slotMs;
  }

  /** Forgets everything: the node has another chain. */
  clear(): void {
    this.risenAtMs = 0;
    for (const each of COMMITMENTS) this.#marks[each] = UNKNOWN;
  }
}
