import { CONFIG_INTEGERS } from '../../generated/config.ts';

/** Under `alpenglow` a confirmed block is final, and blocks hold no votes; under `tower` it is final `finalitySlots` later. */
export type Consensus = 'alpenglow' | 'tower';

export const DEFAULT_CONSENSUS: Consensus = 'alpenglow';

/** True for the name of a consensus. */
export function isConsensus(value: unknown): value is Consensus {
  return value === 'alpenglow' || value === 'tower';
}

/** Returns the number of slots between a block's confirmation and its finalization; `given` counts under `tower`. */
export function finalitySlotsUnder(consensus: Consensus, given: number | undefined): number {
  return consensus === 'alpenglow' ? 0 : (given ?? CONFIG_INTEGERS['localnet.finality_slots'].maximum);
}
