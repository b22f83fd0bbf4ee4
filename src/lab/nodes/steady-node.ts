import type { Commitment } from '../../rpc/commitment.ts';
import { ChainNode } from './chain-node.ts';

/** A node whose confirmed and finalized slots never go back while it runs: where it falls behind, they stand still. */
export class SteadyNode extends ChainNode {
  readonly #reached: Record<Commitment, number> = { processed: 0, confirmed: 0, finalized: 0 };

  /** It starts, from a state that may be older than what it had before. */
  begin(): void {
    Object.assign(this.#reached, { confirmed: 0, finalized: 0 });
  }

  override slot(commitment: Commitment = 'processed'): number {
    const slot = super.slot(commitment);
    if (commitment === 'processed') return Math.max(slot, this.slot('confirmed'));
    this.#reached[commitment] = Math.max(slot, this.#reached[commitment]);
    return this.#reached[commitment];
  }
}
