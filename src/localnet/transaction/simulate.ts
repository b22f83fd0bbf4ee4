import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { Simulation, SimulationBalances } from '../encode/simulation-result.ts';
import type { Ledger } from '../ledger.ts';
import type { Account, InnerInstructions, LoadedAddresses } from '../model.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { accountKeys } from './account-keys.ts';
import { checkAge, isProcessed } from './check-age.ts';
import { loadAddresses } from './lookup-tables.ts';
import { loadFailure } from './load-failure.ts';
import { loadedAccountsSize } from './loaded-size.ts';
import { calledPrograms, type Prepared, prepareTransaction, reachable, runtimeWire } from './prepare.ts';
import { tokenBalances } from './token-balances.ts';
import { signaturesAreValid } from './verify-signatures.ts';

export type SimulationOptions = {
  /** The bank to simulate in. */
  readonly slot: bigint;
  readonly verifySignatures: boolean;
  /** True: any blockhash is accepted, and replaced by the bank's latest. */
  readonly anyBlockhash: boolean;
};

type ReadAccount = (address: string) => Account | undefined;

/** A simulation, and the data for its extras. */
export type SimulationRun = {
  readonly simulation: Simulation;
  readonly innerInstructions: readonly InnerInstructions[];
  /** All addresses of the transaction; the static ones if its lookups were not resolved. */
  readonly keys: readonly string[];
  /** Reads an account as the simulation leaves it. */
  readonly readAfter: ReadAccount;
};

/** Runs a sanitized transaction in the bank of a slot without keeping anything. */
export function simulateTransactionAt(
  ledger: Ledger,
  transaction: DecodedTransaction,
  options: SimulationOptions,
): SimulationRun {
  const { slot } = options;
  const { message } = transaction;
  const read = (address: string): Account | undefined => ledger.accounts.read(address, slot);
  const nowSeconds = ledger.blocks.time(slot);
  const { loaded, keys } = resolve(message, read, slot);
  const refused = (err: TransactionError): SimulationRun => {
    const states = { read, readAfter: read, nowSeconds };
    const simulation = {
      ...refusedSimulation(err),
      // Nodes verify signatures before they load accounts.
      balances: err === 'SignatureFailure' ? null : balances(message, keys, states),
      loadedAddresses: loaded,
    };
    return { simulation, innerInstructions: [], keys, readAfter: read };
  };
  const refusal = refuse(ledger, transaction, options);
  if (refusal !== undefined) return refused(refusal);
  const prepared = prepareTransaction(ledger, transaction, slot);
  if (prepared.kind === 'error') return refused(prepared.error);
  const wire = runtimeWire(ledger, transaction, slot);
  const simulated = { wire, addresses: reachable(transaction, prepared), programs: calledPrograms(message) };
  const outcome = ledger.bank.simulate(simulated, slot, ledger.blocks.openSlot);
  const { err } = outcome;
  const failure =
    err === null || outcome.ran ? undefined : loadFailure(ledger, { message, fee: prepared.fee, slot }, err);
  if (failure !== undefined && !failure.isCharged) return refused(failure.error);
  const after = new Map(outcome.accounts.map(({ address, account }) => [address, account]));
  const readAfter =
    err === null ? readOver(after, read) : readOver(chargedPayer(transaction, prepared, read), read);
  const simulation = {
    err: failure?.error ?? err,
    logs: outcome.logs,
    unitsConsumed: outcome.units,
    loadedAccountsDataSize: loadedAccountsSize(message, prepared.loaded, read),
    returnData: outcome.returnData,
    fee: prepared.fee,
    balances: balances(message, keys, { read, readAfter, nowSeconds }),
    loadedAddresses: loaded,
  };
  return { simulation, innerInstructions: outcome.innerInstructions, keys, readAfter };
}

function refuse(
  ledger: Ledger,
  transaction: DecodedTransaction,
  options: SimulationOptions,
): TransactionError | undefined {
  if (options.verifySignatures && !signaturesAreValid(transaction, ledger.impersonated))
    return 'SignatureFailure';
  if (options.anyBlockhash) return undefined;
  const age = checkAge(ledger, transaction.message, options.slot);
  if (age.kind === 'error') return age.error;
  return isProcessed(ledger, transaction, options.slot) ? 'AlreadyProcessed' : undefined;
}

/** Returns the addresses of a transaction; the static ones if its lookups cannot be resolved. */
function resolve(
  message: Message,
  read: ReadAccount,
  slot: bigint,
): { readonly loaded: LoadedAddresses; readonly keys: readonly string[] } {
  const lookup = loadAddresses(message, read, slot);
  const loaded = lookup.kind === 'loaded' ? lookup.addresses : { writable: [], readonly: [] };
  return { loaded, keys: accountKeys(message, loaded) };
}

/** Returns the simulation of a transaction that was refused before a fee was due and anything was loaded. */
export function refusedSimulation(err: TransactionError): Simulation {
  return {
    err,
    logs: [],
    unitsConsumed: 0n,
    loadedAccountsDataSize: 0,
    returnData: null,
    fee: null,
    balances: null,
    loadedAddresses: { writable: [], readonly: [] },
  };
}

type States = { readonly read: ReadAccount; readonly readAfter: ReadAccount; readonly nowSeconds: bigint };

function balances(
  message: Message,
  keys: readonly string[],
  { read, readAfter, nowSeconds }: States,
): SimulationBalances {
  return {
    preBalances: keys.map((address) => read(address)?.lamports ?? 0n),
    postBalances: keys.map((address) => readAfter(address)?.lamports ?? 0n),
    preTokenBalances: tokenBalances(message, keys, { read, nowSeconds }),
    postTokenBalances: tokenBalances(message, keys, { read: readAfter, nowSeconds }),
  };
}

/** Of a failed transaction only the fee charge remains. */
function chargedPayer(
  { message }: DecodedTransaction,
  { fee }: Prepared,
  read: ReadAccount,
): ReadonlyMap<string, Account> {
  const address = message.staticKeys[0] ?? '';
  const payer = read(address);
  return new Map(payer === undefined ? [] : [[address, { ...payer, lamports: payer.lamports - fee }]]);
}

function readOver(changed: ReadonlyMap<string, Account>, read: ReadAccount): ReadAccount {
  return (address) => {
    const account = changed.get(address) ?? read(address);
    return account === undefined || account.lamports === 0n ? undefined : account;
  };
}
