import { base58 } from '@scure/base';
import type { TransactionError } from '../../../generated/ledger/types.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { LoadedAddresses } from '../model.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { layoutOf } from '../../core/wire/transaction-layout.ts';
import { accountKeys, writableKeys } from './account-keys.ts';
import { readComputeBudget } from './compute-budget.ts';
import { transactionFee } from './fee.ts';
import { loadAddresses } from './lookup-tables.ts';

/** The feature gate of version 1 transactions (SIMD-0385), which the runtime does not check. */
const VERSION_1_GATE = 'txv1aq4pp281K9um3tnPgkfX8UqtFT6wcVW3hNezGLL';

/** A transaction ready for the runtime: its addresses, its fee, and the accounts that it may change. */
export type Prepared = {
  readonly kind: 'prepared';
  readonly loaded: LoadedAddresses;
  readonly keys: readonly string[];
  readonly writable: readonly string[];
  readonly fee: bigint;
};
export type Preparation = Prepared | { readonly kind: 'error'; readonly error: TransactionError };

/** Resolves lookup tables, compute budget and fee as the bank of `slot` does before it runs a transaction. */
export function prepareTransaction(
  ledger: LedgerState,
  { message }: DecodedTransaction,
  slot: bigint,
): Preparation {
  if (message.version === 1 && ledger.accounts.read(VERSION_1_GATE, slot) === undefined)
    return { kind: 'error', error: 'UnsupportedVersion' };
  const lookup = loadAddresses(message, (address) => ledger.accounts.read(address, slot), slot);
  if (lookup.kind === 'error') return lookup;
  const limits = readComputeBudget(message);
  if (limits.kind === 'error') return limits;
  const { addresses: loaded } = lookup;
  const keys = accountKeys(message, loaded);
  const fee = transactionFee(message, limits.budget);
  return { kind: 'prepared', loaded, keys, writable: writableKeys(message, loaded), fee };
}

/** Returns every address that execution can read: the transaction's keys and its lookup tables. */
export function reachable({ message }: DecodedTransaction, { keys }: Prepared): readonly string[] {
  return [...keys, ...message.lookups.map(({ accountKey }) => accountKey)];
}

/** Returns the programs that the instructions of a message call. */
export function calledPrograms({ instructions, staticKeys }: Message): readonly string[] {
  return instructions.map(({ programIdIndex }) => staticKeys[programIdIndex] ?? '');
}

/** True when a transaction calls a program that does not exist in the open slot. */
export function callsGoneProgram({ runtime }: LedgerState, { message }: DecodedTransaction): boolean {
  return calledPrograms(message).some((program) => runtime.isGone(program));
}

/**
 * Returns the wire form for the runtime, which treats the transaction's blockhash as the bank's latest one (nonces are derived from it) and
 * its first signature as a sign that it ran, so both are set. It verifies neither.
 */
export function runtimeWire(ledger: LedgerState, transaction: DecodedTransaction, slot: bigint): Uint8Array {
  const wire = new Uint8Array(transaction.wire);
  const layout = layoutOf(wire);
  if (layout === undefined) throw new Error('a decoded transaction has no layout');
  const { blocks } = ledger;
  wire.set(base58.decode(blocks.blockhash(blocks.latestHashSlot(slot))), layout.lifetimeAt);
  wire[layout.signaturesAt] ||= 1;
  return wire;
}
