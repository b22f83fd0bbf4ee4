import type { Ledger } from '../ledger.ts';
import type { TransactionRecord } from '../model.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';
import { accountKeys, writableKeys } from '../transaction/account-keys.ts';
import { simulateTransactionAt } from '../transaction/simulate.ts';
import type { TransactionRun } from './trace-transaction.ts';

/** A transaction that landed. The states of its accounts may not be kept any more. */
export function landedRun({ keptStates }: Ledger, record: TransactionRecord): TransactionRun {
  const { slot, transaction, meta } = record;
  const { err, fee, logs, innerInstructions, computeUnitsConsumed: units, loadedAddresses } = meta;
  const { message } = transaction;
  return {
    kind: 'landed',
    transaction,
    slot,
    err,
    fee,
    logs,
    innerInstructions,
    units,
    // A transaction that paid its fee but could not be loaded has neither.
    ran: err === null || logs.length > 0 || units > 0n,
    keys: accountKeys(message, loadedAddresses),
    writable: new Set(writableKeys(message, loadedAddresses)),
    states: keptStates?.find(record),
    balances: { before: meta.preBalances, after: meta.postBalances },
  };
}

/** Runs a sanitized transaction in the open slot without keeping anything. Neither signatures nor blockhash are checked. */
export function simulatedRun(ledger: Ledger, transaction: DecodedTransaction): TransactionRun {
  const slot = ledger.blocks.openSlot;
  const { simulation, innerInstructions, keys, readAfter } = simulateTransactionAt(ledger, transaction, {
    slot,
    verifySignatures: false,
    anyBlockhash: true,
  });
  const { err, fee, logs, unitsConsumed: units, balances, loadedAddresses } = simulation;
  const writable = writableKeys(transaction.message, loadedAddresses);
  const states = new Map(
    writable.map((address) => [
      address,
      { before: ledger.accounts.read(address, slot), after: readAfter(address) },
    ]),
  );
  return {
    kind: 'simulated',
    transaction,
    slot,
    err,
    fee,
    logs,
    innerInstructions,
    units,
    keys,
    states,
    ran: err === null || logs.length > 0 || units > 0n,
    writable: new Set(writable),
    balances: balances === null ? null : { before: balances.preBalances, after: balances.postBalances },
  };
}
