import { decodeTransactionText } from '../../../core/wire/transaction-text.ts';
import { readWireEncoding } from '../wire-encoding.ts';

/**
 * Rejects text that is too long for a transaction or does not decode, before it costs anything.
 *
 * @throws ServiceError `unsupportedEncoding`, `transactionTooLarge`, `transactionInvalidEncoding`,
 *   `decodedTransactionTooLarge`.
 */
export function simulateTransaction(params: readonly unknown[]): void {
  const [text, config] = params;
  if (typeof text === 'string') decodeTransactionText(text, readWireEncoding(config));
}
