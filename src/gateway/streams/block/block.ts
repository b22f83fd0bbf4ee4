/** A confirmed block as topics see it. Parts that are expensive to parse are parsed on first use. */
export type Block = {
  readonly slot: bigint;
  readonly parentSlot: bigint;
  /** The highest finalized slot known when the block was read; at most `slot`. */
  readonly rootSlot: bigint;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  /** Seconds since the Unix epoch. */
  readonly blockTime: bigint | undefined;
  readonly blockHeight: bigint | undefined;
  readonly transactions: () => readonly BlockTransaction[];
  readonly rewards: () => readonly BlockReward[];
  /** Size of the node's reply. */
  readonly sizeBytes: number;
};

export type BlockTransaction = {
  readonly index: number;
  /** Undefined: a legacy transaction. */
  readonly version: 0 | 1 | undefined;
  /** Set for version 1 only. */
  readonly config: BlockTransactionConfig | undefined;
  /** The first one, base-58. */
  readonly signature: string;
  /** JSON text; undefined: it succeeded. */
  readonly error: string | undefined;
  readonly fee: bigint;
  readonly computeUnits: bigint | undefined;
  /** Accounts of the message, then those loaded from lookup tables, writable ones first. */
  readonly accounts: readonly BlockAccount[];
  readonly logs: readonly string[];
  readonly raw: Buffer;
};

/** The priority fee and the resource limits of a version 1 transaction; undefined if it does not set one. */
export type BlockTransactionConfig = {
  /** Lamports in total, not per compute unit. */
  readonly priorityFee: bigint | undefined;
  readonly computeUnitLimit: number | undefined;
  /** Bytes. */
  readonly loadedAccountsDataSizeLimit: number | undefined;
  /** Bytes. */
  readonly heapSize: number | undefined;
};

export type BlockAccount = {
  readonly address: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
  readonly lamportsBefore: bigint;
  readonly lamportsAfter: bigint;
  readonly tokenBalance: BlockTokenBalance | undefined;
};

export type BlockTokenBalance = {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly decimals: number;
};

export type BlockReward = {
  readonly address: string;
  readonly lamports: bigint;
  readonly postBalance: bigint;
  readonly type: string;
};
