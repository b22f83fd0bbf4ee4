import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import { decodeTransactionText } from '../../core/wire/transaction-text.ts';
import { errorText } from './error-text.ts';
import { loadAddresses } from './lookup-tables.ts';
import { sanitizeTransaction } from './sanitize.ts';

/** Decodes the transaction in a request. `encoding` defaults to base58; `binary` is its old name. */
export function readTransaction(
  text: string,
  encoding: 'binary' | 'base58' | 'base64' | null | undefined,
): DecodedTransaction {
  return decodeTransaction(decodeTransactionText(text, encoding === 'base64' ? 'base64' : 'base58'));
}

/**
 * Refuses an inconsistent transaction, or one whose lookup tables cannot be resolved in the bank of `slot`. Nodes select the bank first, so
 * its refusal comes before this one.
 *
 * @throws ServiceError transactionInvalid.
 */
export function assertValid(ledger: Ledger, transaction: DecodedTransaction, slot: bigint): void {
  sanitizeTransaction(transaction);
  const { message } = transaction;
  const lookup = loadAddresses(message, (address) => ledger.accounts.read(address, slot), slot);
  if (lookup.kind === 'error') throw serviceError('transactionInvalid', { reason: errorText(lookup.error) });
}
