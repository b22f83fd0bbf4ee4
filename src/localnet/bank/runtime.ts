import { base58 } from '@scure/base';
import litesvm, { type TransactionMetadata, type FailedTransactionMetadata } from 'litesvm/dist/internal.js';
import type { TransactionError, InstructionError } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import { FEATURE_PROGRAM, NATIVE_LOADER } from '../addresses/program-ids.ts';
import { SYSVAR_CLOCK } from '../addresses/sysvar-addresses.ts';
import type { FeatureChanges } from '../genesis/genesis-additions.ts';
import type { Account, InnerInstructions, KeyedAccount, ReturnData } from '../model.ts';

// Tables in the order of the runtime's own enumerations; longer than other files.
type RuntimeError = ReturnType<FailedTransactionMetadata['err']>;
type RuntimeInstructionError = ReturnType<Extract<RuntimeError, { err(): unknown }>['err']>;
type InstructionErrorName = Extract<InstructionError, string>;
type TransactionErrorName = Extract<TransactionError, string>;

/** Converts a transaction error of the runtime to the ledger's JSON form. */
export function transactionError(error: RuntimeError): TransactionError {
  if (typeof error === 'number') return nameAt(TRANSACTION_ERRORS, error);
  if ('err' in error) return { InstructionError: [error.index, instructionError(error.err())] };
  if ('index' in error) return { DuplicateInstruction: error.index };
  const { accountIndex: account_index } = error;
  return error.constructor.name === 'TransactionErrorInsufficientFundsForRent'
    ? { InsufficientFundsForRent: { account_index } }
    : { ProgramExecutionTemporarilyRestricted: { account_index } };
}

function instructionError(error: RuntimeInstructionError): InstructionError {
  if (typeof error === 'number') return nameAt(INSTRUCTION_ERRORS, error);
  return 'code' in error ? { Custom: error.code } : 'BorshIoError';
}

function nameAt<T>(names: readonly T[], position: number): T {
  const name = names[position];
  if (name === undefined)
    throw new RangeError(`the runtime answered with the unknown error number ${position}`);
  return name;
}

const TRANSACTION_ERRORS: readonly TransactionErrorName[] = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
];

const INSTRUCTION_ERRORS: readonly InstructionErrorName[] = [
  'GenericError',
  'InvalidArgument',
  'InvalidInstructionData',
  'InvalidAccountData',
  'AccountDataTooSmall',
  'InsufficientFunds',
  'IncorrectProgramId',
  'MissingRequiredSignature',
  'AccountAlreadyInitialized',
  'UninitializedAccount',
  'UnbalancedInstruction',
  'ModifiedProgramId',
  'ExternalAccountLamportSpend',
  'ExternalAccountDataModified',
  'ReadonlyLamportChange',
  'ReadonlyDataModified',
  'DuplicateAccountIndex',
  'ExecutableModified',
  'RentEpochModified',
  'NotEnoughAccountKeys',
  'AccountDataSizeChanged',
  'AccountNotExecutable',
  'AccountBorrowFailed',
  'AccountBorrowOutstanding',
  'DuplicateAccountOutOfSync',
  'InvalidError',
  'ExecutableDataModified',
  'ExecutableLamportChange',
  'ExecutableAccountNotRentExempt',
  'UnsupportedProgramId',
  'CallDepth',
  'MissingAccount',
  'ReentrancyNotAllowed',
  'MaxSeedLengthExceeded',
  'InvalidSeeds',
  'InvalidRealloc',
  'ComputationalBudgetExceeded',
  'PrivilegeEscalation',
  'ProgramEnvironmentSetupFailure',
  'ProgramFailedToComplete',
  'ProgramFailedToCompile',
  'Immutable',
  'IncorrectAuthority',
  'AccountNotRentExempt',
  'InvalidAccountOwner',
  'ArithmeticOverflow',
  'UnsupportedSysvar',
  'IllegalOwner',
  'MaxAccountsDataAllocationsExceeded',
  'MaxAccountsExceeded',
  'MaxInstructionTraceLengthExceeded',
  'BuiltinProgramsMustConsumeComputeUnits',
  'BorshIoError',
];

/** Validators truncate the logs of a transaction here. */
const LOG_LIMIT_BYTES = 10_000n;
const RENT_EPOCH_EXEMPT = 2n ** 64n - 1n;
/** Rent is no longer annual, and none is collected that could be burnt (SIMD-0194, SIMD-0437). */
const EXEMPTION_THRESHOLD = 1;
const BURN_PERCENT = 50;

/** A feature gate that is active since slot 0. The genesis makes it rent-exempt. */
const ACTIVE_FEATURE: Account = {
  lamports: 1n,
  data: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0),
  owner: FEATURE_PROGRAM,
  executable: false,
  rentEpoch: RENT_EPOCH_EXEMPT,
};

export type RuntimeOptions = {
  /** Lamports per byte for rent exemption. */
  readonly lamportsPerByte: bigint;
  /** Compute units of every transaction, whatever it requests; absent: what it requests. */
  readonly computeUnitLimit?: bigint | undefined;
  readonly features?: FeatureChanges | undefined;
};

/** The runtime's outcome of one transaction. `ran` is false if it was refused before its first instruction. */
export type Outcome = {
  readonly err: TransactionError | null;
  readonly ran: boolean;
  readonly logs: readonly string[];
  readonly innerInstructions: readonly InnerInstructions[];
  readonly returnData: ReturnData | null;
  readonly units: bigint;
};
/** A simulation also returns the state of the writable accounts after success. */
export type SimulatedOutcome = Outcome & { readonly accounts: readonly KeyedAccount[] };

/** The outcome of a transaction that calls a program which does not exist. */
export const NOT_LOADED: SimulatedOutcome = {
  err: 'ProgramAccountNotFound',
  ran: false,
  logs: [],
  innerInstructions: [],
  returnData: null,
  units: 0n,
  accounts: [],
};

/**
 * The Solana runtime (LiteSVM), which executes transactions and nothing else: it checks no signatures, no blockhash and no duplicates.
 * Bytes that do not deserialize abort the process, so pass it sanitized transactions only.
 */
export class Runtime {
  readonly #svm = new litesvm.LiteSvm();

  /** Feature gates are those of the main network, with the changes; they are accounts too, active since slot 0. */
  constructor({ lamportsPerByte, computeUnitLimit, features }: RuntimeOptions) {
    this.#svm.setSigverify(false);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setTransactionHistory(0n);
    this.#svm.setLogBytesLimit(LOG_LIMIT_BYTES);
    this.#svm.setRent(new litesvm.Rent(lamportsPerByte, EXEMPTION_THRESHOLD, BURN_PERCENT));
    if (features !== undefined) this.#changeFeatures(features);
    if (computeUnitLimit !== undefined) {
      const budget = new litesvm.ComputeBudget();
      budget.computeUnitLimit = computeUnitLimit;
      this.#svm.setComputeBudget(budget);
    }
  }

  read(address: string): Account | undefined {
    const account = this.#svm.getAccount(base58.decode(address));
    return account === null ? undefined : fromRuntime(account);
  }

  /** Writes an account; undefined removes it. */
  write(address: string, account: Account | undefined): void {
    const { lamports, data, owner, executable } = account ?? NO_ACCOUNT;
    const written = new litesvm.Account(lamports, data, base58.decode(owner), executable, RENT_EPOCH_EXEMPT);
    if (executable) this.#loadInSlot0(() => this.#svm.setAccount(base58.decode(address), written));
    else this.#svm.setAccount(base58.decode(address), written);
  }

  /** The runtime treats a program as deployed one slot after it loads it; it must be there in every slot that a state of the ledger has. */
  #loadInSlot0(load: () => void): void {
    const clock = this.#svm.getAccount(base58.decode(SYSVAR_CLOCK));
    this.#svm.setClock(new litesvm.Clock(0n, 0n, 0n, 0n, 0n));
    try {
      load();
    } finally {
      if (clock !== null) this.#svm.setAccount(base58.decode(SYSVAR_CLOCK), clock);
    }
  }

  /** Writes an account of a ledger. A program that cannot be loaded counts as gone: it cannot be called. */
  place(address: string, account: Account | undefined): void {
    try {
      this.write(address, account);
    } catch (error) {
      if (account?.executable !== true) throw error;
      this.write(address, undefined);
    }
  }

  ownedBy(program: string): readonly KeyedAccount[] {
    return this.#svm.getProgramAccounts(base58.decode(program)).map(keyed);
  }

  /**
   * True for a program that is missing, or whose loader is. The runtime may still have its code and would abort the process: never pass it
   * a transaction that calls it; its outcome is `NOT_LOADED`.
   */
  isGone(program: string): boolean {
    const account = this.#svm.getAccount(base58.decode(program));
    if (account === null) return true;
    const owner = account.owner();
    return (
      account.executable() && base58.encode(owner) !== NATIVE_LOADER && this.#svm.getAccount(owner) === null
    );
  }

  /** Executes and keeps the result, the fee of a failed transaction included. */
  execute(wire: Uint8Array): Outcome {
    const result = this.#svm.sendVersionedTransaction(wire);
    return 'err' in result ? outcome(result.meta(), transactionError(result.err())) : outcome(result, null);
  }

  /** Executes without keeping the result. */
  simulate(wire: Uint8Array): SimulatedOutcome {
    const result = this.#svm.simulateVersionedTransaction(wire);
    if ('err' in result) return { ...outcome(result.meta(), transactionError(result.err())), accounts: [] };
    return { ...outcome(result.meta(), null), accounts: result.postAccounts().map(keyed) };
  }

  #changeFeatures({ activated, deactivated }: FeatureChanges): void {
    const known = litesvm.FeatureSet.allEnabled();
    const unknown = activated.find((id) => !known.isActive(base58.decode(id)));
    if (unknown !== undefined) throw serviceError('invalidConfig', { problems: unknownFeature(unknown) });
    const features = new litesvm.FeatureSet();
    for (const { address } of this.ownedBy(FEATURE_PROGRAM)) features.activate(base58.decode(address), 0n);
    for (const id of activated) {
      features.activate(base58.decode(id), 0n);
      this.write(id, ACTIVE_FEATURE);
    }
    for (const id of deactivated) {
      features.deactivate(base58.decode(id));
      this.write(id, undefined);
    }
    this.#svm.setFeatureSet(features);
    this.#svm.setBuiltins();
  }

  /** Returns the lamports for rent exemption of `size` bytes of data. */
  rentExemption(size: bigint): bigint {
    return this.#svm.minimumBalanceForRentExemption(size);
  }
}

function unknownFeature(id: string): string {
  return `localnet: --feature: the runtime does not know the feature gate ${id}`;
}

/** Returns the ids of all feature gates that the runtime knows: 32 bytes each. */
export function knownFeatures(): readonly Uint8Array[] {
  return litesvm.FeatureSet.allEnabled().getActiveFeatures();
}

const NO_ACCOUNT = {
  lamports: 0n,
  data: new Uint8Array(0),
  owner: '11111111111111111111111111111111',
  executable: false,
};

type RuntimeAccount = InstanceType<typeof litesvm.Account>;

function fromRuntime(account: RuntimeAccount): Account {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner: base58.encode(account.owner()),
    executable: account.executable(),
    rentEpoch: RENT_EPOCH_EXEMPT,
  };
}

function keyed(entry: { readonly address: Uint8Array; account(): RuntimeAccount }): KeyedAccount {
  return { address: base58.encode(entry.address), account: fromRuntime(entry.account()) };
}

function outcome(meta: TransactionMetadata, err: TransactionError | null): Outcome {
  return {
    err,
    ran: err === null || meta.signature().some((byte) => byte !== 0),
    logs: meta.logs(),
    innerInstructions: innerInstructions(meta),
    returnData: returnData(meta),
    units: meta.computeUnitsConsumed(),
  };
}

function innerInstructions(meta: TransactionMetadata): readonly InnerInstructions[] {
  return meta.innerInstructions().flatMap((list, index) => {
    if (list.length === 0) return [];
    const instructions = list.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: instruction.data(),
        stackHeight: inner.stackHeight(),
      };
    });
    return [{ index, instructions }];
  });
}

/** The runtime reports empty data if a program returned none. */
function returnData(meta: TransactionMetadata): ReturnData | null {
  const returned = meta.returnData();
  const data = returned.data();
  return data.length === 0 ? null : { programId: base58.encode(returned.programId()), data };
}
