import type { KeyedAccount } from '../model.ts';

/** An account that a ledger begins with; `origin` names its source in errors. */
export type AddedAccount = KeyedAccount & {
  readonly origin: string;
  /** Gets the lamports that make it rent-exempt. */
  readonly isMadeExempt?: true;
};

/** Additions to the genesis of a ledger, and changes of it. */
export type GenesisAdditions = {
  readonly accounts: readonly AddedAccount[];
  /** The address, if any, that receives `MINT_LAMPORTS`. */
  readonly mint?: string;
  readonly faucetLamports?: bigint;
};

/** Feature gates (base-58 ids) that differ from those of the main network. */
export type FeatureChanges = {
  readonly activated: readonly string[];
  readonly deactivated: readonly string[];
};

/** The lamports of the mint address, as those of a test validator: 500 million SOL. */
export const MINT_LAMPORTS = 500_000_000_000_000_000n;
