import type { AccountStore, AccountState } from './accounts/account-store.ts';
import type { Bank } from './bank/bank.ts';
import type { BlockHistory } from './blocks/block-history.ts';
import type { Runtime } from './bank/runtime.ts';
import type { KeptStates } from './trace/kept-states.ts';
import type { BlockState } from './blocks/block-state.ts';
import type { EpochTimes } from './epoch/epoch-times.ts';
import type { Genesis } from './genesis/genesis.ts';
import type { PerformanceSamples } from './validator/performance-samples.ts';

/** The parts of a ledger that a transaction is checked against and written to. */
export type LedgerState = {
  readonly runtime: Runtime;
  readonly blocks: BlockHistory;
  readonly accounts: AccountStore;
  readonly bank: Bank;
  /** Keys whose signatures are not required. */
  readonly impersonated: ReadonlySet<string>;
  /** Accounts before and after each transaction; only with cheat codes. */
  readonly keptStates: KeptStates | undefined;
};

/** A captured state of the ledger, including its open slot. */
export type LedgerSnapshot = {
  readonly accounts: AccountState;
  readonly blocks: BlockState;
  readonly samples: ReturnType<PerformanceSamples['take']>;
  readonly epochTimes: ReturnType<EpochTimes['take']>;
  readonly genesis: Genesis;
  /** The ledger's time: milliseconds since 1970. */
  readonly timeMs: number;
};

export type SnapshotSettings = {
  /** Directory of saved snapshots; absent: snapshots cannot be saved or loaded. */
  readonly directory?: string | undefined;
  /** Maximum bytes of accounts in all snapshots before another one is refused; absent: 1 GiB. */
  readonly maxBytes?: number | undefined;
};
