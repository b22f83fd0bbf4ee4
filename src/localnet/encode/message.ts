import type { AddressTableLookup, JsonMessage, ParsedMessage } from '../../../generated/ledger/types.ts';
import type { LoadedAddresses, Message } from '../model.ts';
import { accountKeys } from '../transaction/account-keys.ts';
import { encodeInstruction, encodeParsedInstruction, MESSAGE_STACK_HEIGHT } from './instruction.ts';
import { parseAccountKeys } from './parsed-account-keys.ts';

/** A message with indexes and raw data, as under encoding json. */
export function encodeJsonMessage(message: Message): JsonMessage {
  return {
    header: { ...message.header },
    accountKeys: [...message.staticKeys],
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((each) => encodeInstruction(each, MESSAGE_STACK_HEIGHT)),
    ...lookupsOf(message),
  };
}

/** A message as under jsonParsed; there is no header, the keys say it. */
export function encodeParsedMessage(message: Message, loaded: LoadedAddresses): ParsedMessage {
  const keys = accountKeys(message, loaded);
  return {
    accountKeys: parseAccountKeys(message, loaded),
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((each) =>
      encodeParsedInstruction(each, keys, MESSAGE_STACK_HEIGHT),
    ),
    ...lookupsOf(message),
  };
}

/** Present in version 0 only, even where it is empty. */
function lookupsOf(message: Message): { readonly addressTableLookups?: AddressTableLookup[] } {
  if (message.version === 'legacy') return {};
  const addressTableLookups = message.lookups.map((lookup) => ({
    accountKey: lookup.accountKey,
    writableIndexes: [...lookup.writableIndexes],
    readonlyIndexes: [...lookup.readonlyIndexes],
  }));
  return { addressTableLookups };
}
