// The types that @keyslot/client/localnet publishes. They are declared apart from what reads them, so that they import nothing.

/** The options of `keyslot localnet` in camel case, with the same meanings. */
export type StartLocalnetOptions = {
  /** Address to listen on; default 127.0.0.1. */
  readonly bindAddress?: string;
  /** Port of JSON-RPC and WebSocket; default 0: any free port. */
  readonly rpcPort?: number;
  /** Length of a slot in milliseconds; default 200. */
  readonly slotMs?: number;
  /** Default `alpenglow`; `tower` where `finalitySlots` or `votes` is given. */
  readonly consensus?: 'alpenglow' | 'tower';
  /** Under `tower`: slots between confirmation and finalization of a block; default 31. */
  readonly finalitySlots?: number;
  /** Lamports per byte for rent exemption; default 5,080. */
  readonly lamportsPerByte?: number;
  /** Slots in an epoch; default 432,000. */
  readonly slotsPerEpoch?: number;
  /** Slots whose blocks are kept; default 432,000. */
  readonly historySlots?: number;
  /** Transactions that are kept; default 100,000. */
  readonly historyTransactions?: number;
  /** History limit in shreds, as in the test validator; a shred counts as a transaction. */
  readonly limitLedgerSize?: number;
  /** Newer name of `limitLedgerSize`. */
  readonly limitBlockstoreSize?: number;
  /** Directory of the ledger; default: in memory. */
  readonly ledger?: string;
  /** Delete the existing ledger in that directory first. */
  readonly reset?: boolean;
  /** Accounts from files, each as `[address, file]`. */
  readonly account?: readonly (readonly [address: string, file: string])[];
  /** Directories of such files. */
  readonly accountDir?: readonly string[];
  /** Programs that nobody can upgrade, each as `[address, file]`. */
  readonly bpfProgram?: readonly (readonly [address: string, file: string])[];
  /** Programs, each as `[address, file, authority]`; the authority may be `none`. */
  readonly upgradeableProgram?: readonly (readonly [address: string, file: string, authority: string])[];
  /** Accounts copied from the node of `url`. */
  readonly clone?: readonly string[];
  /** Accounts copied from that node if they exist. */
  readonly maybeClone?: readonly string[];
  /** Programs copied from that node with their code. */
  readonly cloneUpgradeableProgram?: readonly string[];
  readonly url?: string;
  /** A ledger node that accounts are fetched from when they are first touched. */
  readonly fork?: string;
  /** The file that fetched accounts are recorded in; without `fork`, only its accounts are available. */
  readonly cassette?: string;
  /** Address that receives 500 million SOL. */
  readonly mint?: string;
  /** Balance of the faucet, in SOL. */
  readonly faucetSol?: number | string;
  /** Slot in which the ledger starts. */
  readonly warpSlot?: number | bigint;
  /** Compute units of every transaction, whatever it requests. */
  readonly computeUnitLimit?: number | bigint;
  /** Feature gates to activate. */
  readonly feature?: readonly string[];
  /** Feature gates to deactivate. */
  readonly deactivateFeature?: readonly string[];
  /** Under `tower`: the validator votes by transactions; default true. */
  readonly votes?: boolean;
  /** Serve the methods that change time and state; default false. */
  readonly cheatCodes?: boolean;
  /** Directory that snapshots are saved to and loaded from. */
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
  /** Ends the ledger and its connections; rejects with the reason if slots stopped because of a failure. */
  readonly close: () => Promise<void>;
  /** Calls `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};
