import type { ConfirmedTransaction, TransactionEncoding } from '../../../generated/ledger/types.ts';
import type { TransactionRecord } from '../model.ts';
import { accountKeys } from '../transaction/account-keys.ts';
import { encodeMeta, encodeParsedMeta } from './meta.ts';
import {
  encodeParsedTransaction,
  encodeTransaction,
  encodeVersion,
  type SupportedVersion,
} from './transaction.ts';

export type TransactionOptions = {
  /** Default: json. */
  readonly encoding?: TransactionEncoding | null | undefined;
  readonly maxSupportedTransactionVersion?: SupportedVersion;
};

/**
 * Encodes the answer of getTransaction; `blockTime` is Unix time in seconds. Throws `transactionVersionNotSupported` for a version above
 * the client's maximum.
 */
export function encodeConfirmedTransaction(
  record: TransactionRecord,
  blockTime: bigint | null,
  options: TransactionOptions,
): ConfirmedTransaction {
  const { transaction, meta, slot } = record;
  const place = {
    slot,
    ...encodeVersion(transaction.message, options.maxSupportedTransactionVersion),
    blockTime,
    transactionIndex: record.index,
  };
  const encoding = options.encoding ?? 'json';
  if (encoding !== 'jsonParsed') {
    return { transaction: encodeTransaction(transaction, encoding), meta: encodeMeta(meta, true), ...place };
  }
  const keys = accountKeys(transaction.message, meta.loadedAddresses);
  return {
    transaction: encodeParsedTransaction(transaction, meta.loadedAddresses),
    meta: encodeParsedMeta(meta, keys, true),
    ...place,
  };
}
