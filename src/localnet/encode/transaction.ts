import type {
  AccountsTransaction,
  EncodedTransaction,
  ParsedTransaction,
  TransactionEncoding,
  JsonMessage,
  ParsedMessage,
  ParsedAccountKey,
  TransactionVersion,
} from '../../../generated/ledger/types.ts';
import type { LoadedAddresses } from '../model.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { encodeBase58, encodeBase64 } from '../bytes/base58.ts';
import { accountKeys, isSigner, writableKeys } from '../transaction/account-keys.ts';
import { encodeInstruction, encodeParsedInstruction, MESSAGE_STACK_HEIGHT } from './instruction.ts';
import { serviceError } from '../../core/service-error.ts';

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

type VersionPart = Pick<JsonMessage, 'addressTableLookups' | 'transactionConfig'>;

/** Encodes a message with indexes and raw data, as under encoding json. */
function encodeJsonMessage(message: Message): JsonMessage {
  return {
    header: { ...message.header },
    accountKeys: [...message.staticKeys],
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((each) => encodeInstruction(each, MESSAGE_STACK_HEIGHT)),
    ...versionPartOf(message),
  };
}

/** Encodes a message as under jsonParsed; it has no header, the keys contain it. */
function encodeParsedMessage(message: Message, loaded: LoadedAddresses): ParsedMessage {
  const keys = accountKeys(message, loaded);
  return {
    accountKeys: parseAccountKeys(message, loaded),
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((each) =>
      encodeParsedInstruction(each, keys, MESSAGE_STACK_HEIGHT),
    ),
    ...versionPartOf(message),
  };
}

/** Returns the members that only one version has: lookups for version 0, even if empty, and the limits for version 1. */
function versionPartOf({ version, lookups, config }: Message): VersionPart {
  if (version === 1) return config === undefined ? {} : { transactionConfig: { ...config } };
  if (version === 'legacy') return {};
  const addressTableLookups = lookups.map((lookup) => ({
    accountKey: lookup.accountKey,
    writableIndexes: [...lookup.writableIndexes],
    readonlyIndexes: [...lookup.readonlyIndexes],
  }));
  return { addressTableLookups };
}

/** Returns all account keys with their roles in the transaction; writable as the runtime grants it, not as requested. */
function parseAccountKeys(message: Message, loaded: LoadedAddresses): ParsedAccountKey[] {
  const writable = new Set(writableKeys(message, loaded));
  return accountKeys(message, loaded).map((pubkey, index) => ({
    pubkey,
    writable: writable.has(pubkey),
    signer: isSigner(message, index),
    source: index < message.staticKeys.length ? 'transaction' : 'lookupTable',
  }));
}

/** Highest message version that a client can read; absent for clients that know legacy transactions only. */
export type SupportedVersion = number | bigint | null | undefined;

/**
 * Returns the `version` member of an answer: none for clients that did not state a version. Throws `transactionVersionNotSupported` for a
 * message that the client cannot read.
 */
export function encodeVersion(
  { version }: Message,
  supported: SupportedVersion,
): { readonly version?: TransactionVersion } {
  if (version !== 'legacy' && version > (supported ?? -1)) {
    throw serviceError('transactionVersionNotSupported', { version });
  }
  return supported === null || supported === undefined ? {} : { version };
}
