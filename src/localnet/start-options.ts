/** The options of `keyslot localnet` by their names in camel case; each means what it means there. */
export type StartLocalnetOptions = {
  /** Address to listen on; default 127.0.0.1. */
  readonly bindAddress?: string;
  /** Port of JSON-RPC and WebSocket; default 0: any free port. */
  readonly rpcPort?: number;
  /** Length of a slot in milliseconds; default 200. */
  readonly slotMs?: number;
  /** Slots between confirmation and finalization of a block; default 31. */
  readonly finalitySlots?: number;
  /** Lamports per byte for rent exemption; default 5,080. */
  readonly lamportsPerByte?: number;
  /** Slots in an epoch; default 432,000. */
  readonly slotsPerEpoch?: number;
  /** Slots whose blocks are kept; default 432,000. */
  readonly historySlots?: number;
  /** Transactions that are kept; default 100,000. */
  readonly historyTransactions?: number;
  /** The same as a number of shreds, as the test validator has it; one counts as a transaction. */
  readonly limitLedgerSize?: number;
  /** The same by its newer name. */
  readonly limitBlockstoreSize?: number;
  /** The directory in which the ledger is kept; default: in memory. */
  readonly ledger?: string;
  /** Delete the ledger in that directory first. */
  readonly reset?: boolean;
  /** Accounts from files, each as `[address, file]`. */
  readonly account?: readonly (readonly [address: string, file: string])[];
  /** Directories of such files. */
  readonly accountDir?: readonly string[];
  /** Programs that nobody can upgrade, each as `[address, file]`. */
  readonly bpfProgram?: readonly (readonly [address: string, file: string])[];
  /** Programs, each as `[address, file, authority]`; the authority may be `none`. */
  readonly upgradeableProgram?: readonly (readonly [address: string, file: string, authority: string])[];
  /** Accounts that are copied from the node of `url`. */
  readonly clone?: readonly string[];
  /** Accounts that are copied from there if they are there. */
  readonly maybeClone?: readonly string[];
  /** Programs that are copied from there with their code. */
  readonly cloneUpgradeableProgram?: readonly string[];
  readonly url?: string;
  /** A ledger node: an account that is touched for the first time is fetched from there. */
  readonly fork?: string;
  /** The file in which what was fetched is recorded; without `fork`, only what is in it can be had. */
  readonly cassette?: string;
  /** Address that receives 500 million SOL. */
  readonly mint?: string;
  /** What the faucet has, in SOL. */
  readonly faucetSol?: number | string;
  /** Slot in which the ledger starts. */
  readonly warpSlot?: number | bigint;
  /** Compute units of every transaction, whatever it requests. */
  readonly computeUnitLimit?: number | bigint;
  /** Feature gates to activate. */
  readonly feature?: readonly string[];
  /** Feature gates to deactivate. */
  readonly deactivateFeature?: readonly string[];
  /** The validator votes by transactions; default true. */
  readonly votes?: boolean;
  /** Serve the methods that change time and state; default false. */
  readonly cheatCodes?: boolean;
  /** Directory in which snapshots are saved, and from which they are loaded. */
  readonly snapshotDir?: string;
  /** Print each transaction with the logs of its programs; default false. */
  readonly log?: boolean;
};

/** A ledger that is served until it is closed. */
export type Localnet = {
  /** `http://…`: JSON-RPC. */
  readonly rpcUrl: string;
  /** `ws://…`, on the same port: subscriptions. */
  readonly wsUrl: string;
  /** Ends the ledger and its connections; rejects with the reason if no slots have passed since a failure. */
  readonly close: () => Promise<void>;
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};
