import { serviceError } from '../../service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { DecodedTransaction } from '../../wire/message.ts';
import { decodeTransaction } from '../../wire/decode-transaction.ts';
import { decodeTransactionText } from '../../wire/transaction-text.ts';
import { errorText } from './error-text.ts';
import { loadAddresses } from './lookup-tables.ts';
import { sanitizeTransaction } from './sanitize.ts';

/** The transaction that a request carries. `encoding` defaults to base58; `binary` is its old name. */
export function readTransaction(
  text: string,
  encoding: 'binary' | 'base58' | 'base64' | null | undefined,
): DecodedTransaction {
  const transaction = decodeTransaction(
    decodeTransactionText(text, encoding === 'base64' ? 'base64' : 'base58'),
  );
  sanitizeTransaction(transaction);
  return transaction;
}

/**
 * Refuses a transaction whose lookup tables cannot be resolved in the bank of `slot`.
 *
 * @throws ServiceError transactionInvalid.
 */
export function assertLookups(ledger: Ledger, { message }: DecodedTransaction, slot: bigint): void {
  const lookup = loadAddresses(message, (address) => ledger.accounts.read(address, slot), slot);
  if (lookup.kind === 'error') throw serviceError('transactionInvalid', { reason: errorText(lookup.error) });
}
