import type { AccountState } from './accounts/account-store.ts';
import type { BlockState } from './blocks/block-state.ts';
import type { EpochTimes } from './epoch/epoch-times.ts';
import type { Genesis } from './genesis/genesis.ts';
import type { PerformanceSamples } from './validator/performance-samples.ts';

/** A state of the ledger that was taken, that of its open slot included. */
export type LedgerSnapshot = {
  readonly accounts: AccountState;
  readonly blocks: BlockState;
  readonly samples: ReturnType<PerformanceSamples['take']>;
  readonly epochTimes: ReturnType<EpochTimes['take']>;
  readonly genesis: Genesis;
  /** What its clock showed: milliseconds since 1970. */
  readonly timeMs: number;
};

export type SnapshotSettings = {
  /** Where snapshots are saved and loaded; absent: nowhere. */
  readonly directory?: string | undefined;
  /** The most bytes that snapshots may hold of accounts when another is taken; absent: 1 GiB. */
  readonly maxBytes?: number | undefined;
};
