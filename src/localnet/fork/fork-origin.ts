import type { EpochLengths } from '../epoch/epoch-lengths.ts';

/** The origin of a fork's accounts. */
export type ForkOrigin = {
  /** Genesis hash of the network, in base-58. */
  readonly genesisHash: string;
  /** The latest slot of the accounts that were fetched when the fork began. */
  readonly slot: bigint;
  /** Undefined: unknown, or not possible for a ledger. */
  readonly epochs?: EpochLengths | undefined;
};
