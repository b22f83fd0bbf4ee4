import type {
  AccountsTransaction,
  EncodedTransaction,
  ParsedTransaction,
  TransactionEncoding,
} from '../../../generated/ledger/types.ts';
import type { LoadedAddresses } from '../model.ts';
import type { DecodedTransaction } from '../../wire/message.ts';
import { encodeBase58 } from '../bytes/base58.ts';
import { encodeBase64 } from '../bytes/base64.ts';
import { encodeJsonMessage, encodeParsedMessage } from './message.ts';
import { parseAccountKeys } from './parsed-account-keys.ts';

/** The encodings that keep instructions' indexes. */
export type RawTransactionEncoding = Exclude<TransactionEncoding, 'jsonParsed'>;

/** Encodes a transaction as its exact bytes (a pair; bare text under binary) or as an object with indexes (json). */
export function encodeTransaction(
  transaction: DecodedTransaction,
  encoding: RawTransactionEncoding,
): EncodedTransaction {
  switch (encoding) {
    case 'binary':
      return encodeBase58(transaction.wire);
    case 'base58':
      return [encodeBase58(transaction.wire), encoding];
    case 'base64':
      return [encodeBase64(transaction.wire), encoding];
    case 'json':
      return { signatures: [...transaction.signatures], message: encodeJsonMessage(transaction.message) };
    default:
      return encoding satisfies never;
  }
}

/** Encodes a transaction as under jsonParsed; `loaded` are the addresses from its lookup tables. */
export function encodeParsedTransaction(
  transaction: DecodedTransaction,
  loaded: LoadedAddresses,
): ParsedTransaction {
  return {
    signatures: [...transaction.signatures],
    message: encodeParsedMessage(transaction.message, loaded),
  };
}

/** Encodes only a transaction's signatures and accounts, as under transactionDetails accounts. */
export function encodeAccountsTransaction(
  transaction: DecodedTransaction,
  loaded: LoadedAddresses,
): AccountsTransaction {
  return {
    signatures: [...transaction.signatures],
    accountKeys: parseAccountKeys(transaction.message, loaded),
  };
}
