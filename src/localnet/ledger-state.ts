import type { AccountStore } from './accounts/account-store.ts';
import type { Bank } from './bank/bank.ts';
import type { BlockHistory } from './blocks/block-history.ts';
import type { Runtime } from './bank/runtime.ts';
import type { KeptStates } from './trace/kept-states.ts';

/** The parts of a ledger that a transaction is checked against and written to. */
export type LedgerState = {
  readonly runtime: Runtime;
  readonly blocks: BlockHistory;
  readonly accounts: AccountStore;
  readonly bank: Bank;
  /** Keys whose signatures are not asked for. */
  readonly impersonated: ReadonlySet<string>;
  /** Accounts before and after each transaction; only with cheat codes. */
  readonly keptStates: KeptStates | undefined;
};
