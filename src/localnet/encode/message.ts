import type { JsonMessage, ParsedMessage } from '../../../generated/ledger/types.ts';
import type { LoadedAddresses } from '../model.ts';
import type { Message } from '../../wire/message.ts';
import { accountKeys } from '../transaction/account-keys.ts';
import { encodeInstruction, encodeParsedInstruction, MESSAGE_STACK_HEIGHT } from './instruction.ts';
import { parseAccountKeys } from './parsed-account-keys.ts';

type VersionPart = Pick<JsonMessage, 'addressTableLookups' | 'transactionConfig'>;

/** Encodes a message with indexes and raw data, as under encoding json. */
export function encodeJsonMessage(message: Message): JsonMessage {
  return {
    header: { ...message.header },
    accountKeys: [...message.staticKeys],
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((each) => encodeInstruction(each, MESSAGE_STACK_HEIGHT)),
    ...versionPartOf(message),
  };
}

/** Encodes a message as under jsonParsed; it has no header, the keys contain it. */
export function encodeParsedMessage(message: Message, loaded: LoadedAddresses): ParsedMessage {
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
