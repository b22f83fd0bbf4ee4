/** The number of account keys that sign, and of those at the end of each group that are read-only. */
export type MessageHeader = {
  readonly numRequiredSignatures: number;
  readonly numReadonlySignedAccounts: number;
  readonly numReadonlyUnsignedAccounts: number;
};

/** An instruction as encoded in the message: indexes into the account keys, raw data. */
export type Instruction = {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
};

/** The accounts that a version 0 message loads from one lookup table. */
export type TableLookup = {
  readonly accountKey: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
};

/** Resource limits in a version 1 message; null if it does not set one. */
export type TransactionConfig = {
  /** Lamports in total, not per compute unit. */
  readonly priorityFee: bigint | null;
  readonly computeUnitLimit: number | null;
  /** Bytes. */
  readonly loadedAccountsDataSizeLimit: number | null;
  /** Bytes. */
  readonly heapSize: number | null;
};

export type MessageVersion = 'legacy' | 0 | 1;

/** A decoded message. Keys and blockhash are base-58. */
export type Message = {
  readonly version: MessageVersion;
  readonly header: MessageHeader;
  /** The keys in the message itself, without those of lookup tables. */
  readonly staticKeys: readonly string[];
  /** In a version 1 message, the lifetime specifier. */
  readonly recentBlockhash: string;
  readonly instructions: readonly Instruction[];
  /** Empty unless the message has version 0. */
  readonly lookups: readonly TableLookup[];
  /** Set for a version 1 message only. */
  readonly config?: TransactionConfig;
};

/** A transaction with the exact bytes that were received. */
export type DecodedTransaction = {
  readonly wire: Uint8Array;
  /** Base-58; the first is the transaction's id. */
  readonly signatures: readonly string[];
  /** The bytes that are signed. */
  readonly messageBytes: Uint8Array;
  readonly message: Message;
};
