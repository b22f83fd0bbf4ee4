import type { TokenBalance, TransactionError } from '../../generated/ledger/types.ts';
import type { DecodedTransaction, Instruction } from '../core/wire/message.ts';

/** An account as the ledger stores it. `rentEpoch` is stored separately, because the runtime drops it. */
export type Account = {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** Base-58 address of the owning program. */
  readonly owner: string;
  readonly executable: boolean;
  readonly rentEpoch: bigint;
};

/** An account with its base-58 address. */
export type KeyedAccount = { readonly address: string; readonly account: Account };

export type LoadedAddresses = { readonly writable: readonly string[]; readonly readonly: readonly string[] };

/** A cross-program instruction; `stackHeight` is 2 or more. */
export type InnerInstruction = Instruction & { readonly stackHeight: number };
export type InnerInstructions = {
  readonly index: number;
  readonly instructions: readonly InnerInstruction[];
};

export type ReturnData = { readonly programId: string; readonly data: Uint8Array };

/** The result of executing a transaction. Balances follow static keys, then loaded writable, then loaded readonly. */
export type TransactionMeta = {
  readonly err: TransactionError | null;
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly innerInstructions: readonly InnerInstructions[];
  readonly logs: readonly string[];
  readonly returnData: ReturnData | null;
  readonly computeUnitsConsumed: bigint;
  readonly costUnits: bigint;
  readonly loadedAddresses: LoadedAddresses;
};

/** A transaction that landed in a block. */
export type TransactionRecord = {
  readonly slot: bigint;
  /** Position in the block. */
  readonly index: number;
  readonly transaction: DecodedTransaction;
  readonly meta: TransactionMeta;
};

/** A reward that a block paid. Lamports. */
export type BlockReward = {
  readonly address: string;
  readonly type: 'Voting' | 'Staking' | 'DeactivatedStake';
  readonly lamports: bigint;
  readonly postBalance: bigint;
  /** Commission of the vote account, in basis points. */
  readonly commissionBps: number;
};

/** The payment of a stake account in the next block, and the credits of its validator that are settled with it. */
export type DueReward = Pick<BlockReward, 'address' | 'lamports' | 'commissionBps'> & {
  readonly creditsObserved: bigint;
};

export type BlockRewards = {
  readonly paid: readonly BlockReward[];
  /** In the first block of an epoch: payments of stake accounts in the next block; absent once that is closed. */
  readonly due?: readonly DueReward[];
};

/** A block. */
export type Block = {
  readonly slot: bigint;
  readonly parentSlot: bigint;
  readonly height: bigint;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  /** Unix time in seconds. */
  readonly time: bigint;
  readonly transactions: readonly TransactionRecord[];
  /** Undefined: the block paid no rewards. */
  readonly rewards: BlockRewards | undefined;
};
