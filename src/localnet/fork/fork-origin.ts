import type { EpochLengths } from '../epoch/epoch-lengths.ts';

/** Where the accounts of a fork are from. */
export type ForkOrigin = {
  /** Of the network, in base-58. */
  readonly genesisHash: string;
  /** None of its accounts is of a later slot, as far as they were fetched when the fork began. */
  readonly slot: bigint;
  /** Undefined: it is not known, or a ledger cannot have such epochs. */
  readonly epochs?: EpochLengths | undefined;
};
