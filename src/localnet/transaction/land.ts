import type { TransactionError } from '../../../generated/ledger/types.ts';
import { NOT_LOADED, type Outcome } from '../bank/runtime.ts';
import type { LedgerState } from '../ledger-state.ts';
import type { Account, TransactionMeta, TransactionRecord } from '../model.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { type Age, checkAge, isProcessed } from './check-age.ts';
import { advanceNonce } from './durable-nonce.ts';
import { loadFailure } from './load-failure.ts';
import { loadedAccountsSize } from './loaded-size.ts';
import { callsGoneProgram, type Prepared, prepareTransaction, reachable, runtimeWire } from './prepare.ts';
import { tokenBalances } from './token-balances.ts';
import { signaturesAreValid } from './verify-signatures.ts';
import { countSignatures } from './fee.ts';

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

const SIGNATURE_COST = 720n;
const ED25519_COST = 2_400n;
const SECP256K1_COST = 6_690n;
const SECP256R1_COST = 4_800n;
const WRITE_LOCK_COST = 300n;
const DATA_BYTES_PER_UNIT = 4;
const PAGE_BYTES = 32 * 1024;
const PAGE_COST = 8n;

/** Returns the share of an executed transaction in its block's cost limit, in cost units (crate solana-cost-model). */
function transactionCost(
  message: Message,
  executed: { readonly units: bigint; readonly loadedBytes: number },
): bigint {
  const counts = countSignatures(message);
  const signatures =
    BigInt(counts.transaction) * SIGNATURE_COST +
    BigInt(counts.ed25519) * ED25519_COST +
    BigInt(counts.secp256k1) * SECP256K1_COST +
    BigInt(counts.secp256r1) * SECP256R1_COST;
  const dataBytes = message.instructions.reduce((sum, { data }) => sum + data.length, 0);
  const data = BigInt(Math.trunc(dataBytes / DATA_BYTES_PER_UNIT));
  const memory = BigInt(Math.ceil(executed.loadedBytes / PAGE_BYTES)) * PAGE_COST;
  return signatures + BigInt(writeLocks(message)) * WRITE_LOCK_COST + data + executed.units + memory;
}

/** The number of write locks that the header and the lookups request, before any is demoted. */
function writeLocks({ header, staticKeys, lookups }: Message): number {
  const fixed = staticKeys.length - header.numReadonlySignedAccounts - header.numReadonlyUnsignedAccounts;
  return lookups.reduce((sum, { writableIndexes }) => sum + writableIndexes.length, fixed);
}
