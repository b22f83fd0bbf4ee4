import { serviceError } from '../../service-error.ts';
import { decodeTransaction, type TransactionEncoding } from '../decode-transaction.ts';
import { isSigned } from '../is-signed.ts';

/**
 * Refuses what no ledger could take, before it costs anything and also with skipPreflight: text that is longer than a
 * packet or does not decode, and a transaction without a signature (interface.md section 7).
 *
 * @throws ServiceError `unsupportedEncoding`, `transactionTooLarge`, `transactionInvalidEncoding`,
 *   `decodedTransactionTooLarge`, `transactionMalformed`, `transactionUnsigned`.
 */
export function sendTransaction(params: readonly unknown[]): void {
  const [text, config] = params;
  if (typeof text !== 'string') return;
  if (!isSigned(decodeTransaction(text, readEncoding(config)))) throw serviceError('transactionUnsigned');
}

function readEncoding(config: unknown): TransactionEncoding {
  const encoding =
    typeof config === 'object' && config !== null && 'encoding' in config ? config.encoding : undefined;
  if (encoding === undefined || encoding === null || encoding === 'base58' || encoding === 'binary')
    return 'base58';
  if (encoding === 'base64') return 'base64';
  throw serviceError('unsupportedEncoding', { parameter: 'config.encoding', value: String(encoding) });
}
