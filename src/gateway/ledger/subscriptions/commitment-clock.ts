import type { Pace } from '../../nodes/network/pace.ts';
import { type AskedNode, readSlot } from './node-reads.ts';

/** A slot that had reached a commitment before the node began the slot after `begun`. */
type Sample = { readonly slot: number; readonly begun: number };

const INTERVAL_MS = 1_000;
/** The newest slots within this time, and at least this number, are not trusted: the parts of a node may not be in step. */
const MARGIN_MS = 3_200;
const LEAST_MARGIN_SLOTS = 8;
const KEPT_SAMPLES = 30;

/**
 * Tracks how far a node has come at each commitment with subscriptions, so that after the loss of its WebSocket there is a slot
 * to read on from, although quiet slots produce no notifications.
 */
export class CommitmentClock {
  /** The slot that the current node has reported, or the last one without a node. */
  readonly #samples = new Map<string, Sample[]>();
  readonly #pace: Pick<Pace, 'slotsIn'>;
  #node: AskedNode | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pick<Pace, 'slotsIn'>) {
    this.#pace = pace;
  }

  /** Asks this node from now on, which may be somewhere else than the one before; undefined: none. */
  follow(node: AskedNode | undefined): void {
    this.#node = node;
    clearInterval(this.#timer);
    if (node === undefined) return;
    for (const samples of this.#samples.values()) samples.length = 0;
    this.#timer = setInterval(() => void this.#ask(node, [...this.#samples.keys()]), INTERVAL_MS);
  }

  /** Returns the newest slot known to have reached a commitment, and asks the node if none is known; undefined if it does not answer. */
  async latest(commitment: string): Promise<number | undefined> {
    const known = this.#samples.get(commitment)?.at(-1);
    if (known !== undefined && this.#node !== undefined) return known.slot;
    if (!this.#samples.has(commitment)) this.#samples.set(commitment, []);
    if (this.#node !== undefined) await this.#ask(this.#node, [commitment]);
    return this.#samples.get(commitment)?.at(-1)?.slot;
  }

  /**
   * Returns a slot up to which a node that announced `newestSlot` on the same connection had sent every notification; undefined
   * if none is known.
   */
  settled(commitment: string, newestSlot: number): number | undefined {
    const sample = this.#samples.get(commitment)?.findLast(({ begun }) => begun + 1 < newestSlot);
    return sample && sample.slot - Math.max(this.#pace.slotsIn(MARGIN_MS) ?? 0, LEAST_MARGIN_SLOTS);
  }

  /** A node that does not answer leaves the samples unchanged. */
  async #ask(node: AskedNode, commitments: readonly string[]): Promise<void> {
    if (commitments.length === 0) return;
    try {
      const slots = await Promise.all(commitments.map((commitment) => readSlot(node, commitment)));
      const begun = await readSlot(node, 'processed');
      if (node !== this.#node) return;
      for (const [index, commitment] of commitments.entries()) this.#keep(commitment, slots[index], begun);
    } catch {
      return;
    }
  }

  #keep(commitment: string, slot: number | undefined, begun: number): void {
    const samples = this.#samples.get(commitment);
    if (samples === undefined || slot === undefined) return;
    samples.push({ slot, begun });
    if (samples.length > KEPT_SAMPLES) samples.shift();
  }
}
