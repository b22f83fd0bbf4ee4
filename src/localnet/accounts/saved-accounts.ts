import type { Account } from '../model.ts';

/** A state of all accounts, without the ledger. */
export type SavedAccounts = {
  /** All accounts, including those of a fork that are known not to exist. */
  readonly current: readonly { readonly address: string; readonly account: Account | undefined }[];
  /** The accounts before their first change in each slot that is not finalized, in the order of the changes. */
  readonly changes: readonly {
    readonly slot: bigint;
    readonly address: string;
    readonly account: Account | undefined;
  }[];
};
