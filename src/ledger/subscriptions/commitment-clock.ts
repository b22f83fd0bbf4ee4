import type { Pace } from '../../upstream/nodes/pace.ts';
import { type AskedNode, readSlot } from './node-reads.ts';

/** A slot that had reached a commitment before the node began the slot after `begun`. */
type Sample = { readonly slot: number; readonly begun: number };

const INTERVAL_MS = 1_000;
/** The slots of so long are not believed, and these at least, for nodes whose parts do not know the same at the same time. */
const MARGIN_MS = 3_200;
const LEAST_MARGIN_SLOTS = 8;
const KEPT_SAMPLES = 30;

/**
 * Knows how far a node had come at each commitment that somebody subscribes to, so that the loss of its WebSocket leaves a beginning
 * to read on from, although nothing was told of quiet slots.
 */
export class CommitmentClock {
  readonly #samples = new Map<string, Sample[]>();
  /** The commitments that the node that is followed has told of. */
  readonly #current = new Set<string>();
  readonly #pace: Pick<Pace, 'slotsIn'>;
  #node: AskedNode | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pick<Pace, 'slotsIn'>) {
    this.#pace = pace;
  }

  /** Asks this node from now on; undefined: none. */
  follow(node: AskedNode | undefined): void {
    this.#node = node;
    this.#current.clear();
    clearInterval(this.#timer);
    if (node === undefined) return;
    this.#timer = setInterval(() => void this.#ask(node, [...this.#samples.keys()]), INTERVAL_MS);
  }

  /** Forgets all: the ledger is another one. */
  reset(): void {
    for (const samples of this.#samples.values()) samples.length = 0;
  }

  /** The newest slot that is known to have reached a commitment, asked for where nothing is known; undefined if the node says nothing. */
  async latest(commitment: string): Promise<number | undefined> {
    const known = this.#samples.get(commitment)?.at(-1);
    if (known !== undefined && this.#current.has(commitment)) return known.slot;
    if (!this.#samples.has(commitment)) this.#samples.set(commitment, []);
    if (this.#node !== undefined) await this.#ask(this.#node, [commitment]);
    return this.#samples.get(commitment)?.at(-1)?.slot;
  }

  /**
   * A slot up to which everything had been told by a node that announced `newestSlot` on the same connection; undefined if that is
   * not known.
   */
  settled(commitment: string, newestSlot: number): number | undefined {
    const sample = this.#samples.get(commitment)?.findLast(({ begun }) => begun + 1 < newestSlot);
    return sample && sample.slot - Math.max(this.#pace.slotsIn(MARGIN_MS) ?? 0, LEAST_MARGIN_SLOTS);
  }

  /** A node that does not answer leaves the samples as they are. */
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
    this.#current.add(commitment);
    samples.push({ slot, begun });
    if (samples.length > KEPT_SAMPLES) samples.shift();
  }
}
