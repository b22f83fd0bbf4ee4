import type { BlockRewards, TransactionRecord } from '../model.ts';

/** Limits of the history: the oldest block is dropped when either is exceeded. */
export type HistoryLimits = { readonly slots: number; readonly transactions: number };

/** The block on which a chain is built; that of a new one is the genesis. Time in Unix seconds. */
export type FirstBlock = {
  readonly slot: bigint;
  readonly hash: Uint8Array;
  readonly time: bigint;
  /** Since genesis, including this slot; absent: none. */
  readonly transactionCount?: number;
  /** Only its hash is known: the first block that can be read is the next one. */
  readonly isPurged?: boolean;
};

/** A slot that was closed before. Time in Unix seconds. */
export type ReplayedSlot = {
  readonly time: bigint;
  readonly blockhash: Uint8Array;
  readonly transactions: readonly TransactionRecord[];
  readonly rewards: BlockRewards | undefined;
  /** Since genesis, including this slot. */
  readonly transactionCount: number;
};
