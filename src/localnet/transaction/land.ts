import type { TransactionError } from '../../../generated/ledger/types.ts';
import { NOT_LOADED, type Outcome } from '../bank/runtime.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { Account, TransactionMeta, TransactionRecord } from '../model.ts';
import type { DecodedTransaction } from '../../wire/message.ts';
import { type Age, checkAge, isProcessed } from './check-age.ts';
import { transactionCost } from './cost.ts';
import { advanceNonce } from './durable-nonce.ts';
import { loadFailure } from './load-failure.ts';
import { loadedAccountsSize } from './loaded-size.ts';
import { callsGoneProgram, type Prepared, prepareTransaction, reachable, runtimeWire } from './prepare.ts';
import { tokenBalances } from './token-balances.ts';
import { signaturesAreValid } from './verify-signatures.ts';

/** Landed, possibly with an error, or refused by the bank without a trace. */
export type Landing =
  | { readonly kind: 'landed'; readonly record: TransactionRecord }
  | { readonly kind: 'dropped'; readonly error: TransactionError };
type Balances = Pick<TransactionMeta, 'preBalances' | 'preTokenBalances'>;

/**
 * Executes a sanitized transaction in the open slot and appends it to the open block. A transaction that fails after its fee payer was
 * validated lands with its error: the fee is charged, its nonce advanced, everything else undone.
 */
export function landTransaction(ledger: LedgerState, transaction: DecodedTransaction): Landing {
  const slot = ledger.blocks.openSlot;
  if (!signaturesAreValid(transaction, ledger.impersonated))
    return { kind: 'dropped', error: 'SignatureFailure' };
  const age = checkAge(ledger, transaction.message, slot);
  if (age.kind === 'error') return { kind: 'dropped', error: age.error };
  if (isProcessed(ledger, transaction, slot)) return { kind: 'dropped', error: 'AlreadyProcessed' };
  const prepared = prepareTransaction(ledger, transaction, slot);
  if (prepared.kind === 'error') return { kind: 'dropped', error: prepared.error };
  const before = balances(ledger, transaction, prepared);
  const states = ledger.keptStates === undefined ? undefined : writableStates(ledger, prepared);
  const outcome = callsGoneProgram(ledger, transaction)
    ? NOT_LOADED
    : ledger.bank.execute(runtimeWire(ledger, transaction, slot), reachable(transaction, prepared), slot);
  const settled = settle(ledger, transaction, prepared, age, outcome);
  if (settled.kind === 'dropped') return settled;
  const landed = record(ledger, transaction, prepared, before, settled.outcome);
  if (states !== undefined) keepStates(ledger, landed, prepared, states);
  return { kind: 'landed', record: landed };
}

type States = ReadonlyMap<string, Account | undefined>;

function writableStates({ accounts, blocks }: LedgerState, { writable }: Prepared): States {
  return new Map(writable.map((address) => [address, accounts.read(address, blocks.openSlot)]));
}

function keepStates(
  ledger: LedgerState,
  landed: TransactionRecord,
  prepared: Prepared,
  before: States,
): void {
  const changes = Array.from(
    writableStates(ledger, prepared),
    ([address, after]) => [address, { before: before.get(address), after }] as const,
  );
  ledger.keptStates?.keep(landed, new Map(changes));
}

type Settlement =
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  | { readonly kind: 'dropped'; readonly error: TransactionError };

/** Updates the store with the runtime's result, and charges the fee if the runtime did not. */
function settle(
  ledger: LedgerState,
  transaction: DecodedTransaction,
  prepared: Prepared,
  age: Age,
  outcome: Outcome,
): Settlement {
  const slot = ledger.blocks.openSlot;
  if (outcome.err === null) {
    ledger.bank.keep(prepared.writable, slot);
    return { kind: 'settled', outcome };
  }
  const payer = transaction.message.staticKeys[0] ?? '';
  if (outcome.ran) {
    ledger.bank.keep([payer], slot);
    keepNonce(ledger, age);
    return { kind: 'settled', outcome };
  }
  const attempt = { message: transaction.message, fee: prepared.fee, slot };
  const { error, isCharged } = loadFailure(ledger, attempt, outcome.err);
  const account = ledger.accounts.read(payer, slot);
  if (!isCharged || account === undefined) return { kind: 'dropped', error };
  ledger.bank.write(payer, { ...account, lamports: account.lamports - prepared.fee }, slot);
  keepNonce(ledger, age);
  return { kind: 'settled', outcome: { ...outcome, err: error } };
}

/** A failed transaction uses up its nonce too. */
function keepNonce(ledger: LedgerState, age: Age): void {
  if (age.kind !== 'nonce') return;
  const { blocks, accounts, bank } = ledger;
  const slot = blocks.openSlot;
  const account = accounts.read(age.address, slot);
  if (account !== undefined)
    bank.write(age.address, advanceNonce(account, blocks.blockhash(blocks.latestHashSlot(slot))), slot);
}

function balances(ledger: LedgerState, { message }: DecodedTransaction, { keys }: Prepared): Balances {
  const slot = ledger.blocks.openSlot;
  const read = (address: string) => ledger.accounts.read(address, slot);
  return {
    preBalances: keys.map((address) => read(address)?.lamports ?? 0n),
    preTokenBalances: tokenBalances(message, keys, { read, nowSeconds: ledger.blocks.time(slot) }),
  };
}

function record(
  ledger: LedgerState,
  transaction: DecodedTransaction,
  prepared: Prepared,
  before: Balances,
  outcome: Outcome,
): TransactionRecord {
  const { blocks, accounts } = ledger;
  const slot = blocks.openSlot;
  const { preBalances: postBalances, preTokenBalances: postTokenBalances } = balances(
    ledger,
    transaction,
    prepared,
  );
  const loadedBytes = loadedAccountsSize(transaction.message, prepared.loaded, (address) =>
    accounts.read(address, slot),
  );
  const { err, logs, innerInstructions, returnData, units } = outcome;
  const meta: TransactionMeta = {
    err,
    fee: prepared.fee,
    ...before,
    postBalances,
    postTokenBalances,
    innerInstructions,
    logs,
    returnData,
    computeUnitsConsumed: units,
    costUnits: transactionCost(transaction.message, { units, loadedBytes }),
    loadedAddresses: prepared.loaded,
  };
  const landed = { slot, index: blocks.openTransactions.length, transaction, meta };
  blocks.append(landed);
  return landed;
}
