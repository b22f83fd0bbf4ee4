import type {
  SimulationResult,
  TokenBalance,
  TransactionError,
  UiAccount,
} from '../../../generated/ledger/types.ts';
import type { InnerInstructions, LoadedAddresses, ReturnData } from '../model.ts';
import { encodeParsedInnerInstructions } from './instruction.ts';
import { encodeReturnData } from './meta.ts';

/**
 * The outcome of a simulation. A transaction refused before it ran has no fee unless one was due, and the same balances before and after;
 * it has no balances if its signatures do not verify.
 */
export type Simulation = {
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
  /** Bytes of account data loaded. */
  readonly loadedAccountsDataSize: number;
  readonly returnData: ReturnData | null;
  readonly fee: bigint | null;
  readonly balances: SimulationBalances | null;
  readonly loadedAddresses: LoadedAddresses;
};

/** Balances in the order of all account keys. */
export type SimulationBalances = {
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
};

/** Inner instructions, with all account keys of the transaction, against which they are parsed. */
type Calls = { readonly calls: readonly InnerInstructions[]; readonly keys: readonly string[] };

/** The extras that the caller of simulateTransaction requested; null for the others. */
export type SimulationExtras = {
  readonly accounts: readonly (UiAccount | null)[] | null;
  readonly innerInstructions: Calls | null;
  readonly replacementBlockhash: SimulationResult['replacementBlockhash'];
};

/** Encodes the value of simulateTransaction (agave rpc.rs): every member is present, null if unknown or not requested. */
export function encodeSimulation(simulation: Simulation, extras: SimulationExtras): SimulationResult {
  const { balances, loadedAddresses } = simulation;
  const { innerInstructions } = extras;
  return {
    ...encodePreflight(simulation),
    accounts: extras.accounts && [...extras.accounts],
    innerInstructions: innerInstructions && parseCalls(innerInstructions),
    replacementBlockhash: extras.replacementBlockhash,
    preBalances: balances && [...balances.preBalances],
    postBalances: balances && [...balances.postBalances],
    preTokenBalances: balances && [...balances.preTokenBalances],
    postTokenBalances: balances && [...balances.postTokenBalances],
    loadedAddresses: {
      writable: [...loadedAddresses.writable],
      readonly: [...loadedAddresses.readonly],
    },
  };
}

/** Encodes the error data of a sendTransaction whose preflight failed: the outcome alone, all else null. */
export function encodePreflight(simulation: Simulation): SimulationResult {
  return {
    err: simulation.err,
    logs: [...simulation.logs],
    accounts: null,
    unitsConsumed: simulation.unitsConsumed,
    loadedAccountsDataSize: simulation.loadedAccountsDataSize,
    returnData: simulation.returnData && encodeReturnData(simulation.returnData),
    innerInstructions: null,
    replacementBlockhash: null,
    fee: simulation.fee,
    preBalances: null,
    postBalances: null,
    preTokenBalances: null,
    postTokenBalances: null,
    loadedAddresses: null,
  };
}

function parseCalls({ calls, keys }: Calls) {
  return calls.map((each) => encodeParsedInnerInstructions(each, keys));
}
