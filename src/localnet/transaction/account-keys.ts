import { UPGRADEABLE_LOADER } from '../addresses/program-ids.ts';
import { RESERVED_KEYS } from '../addresses/reserved-keys.ts';
import type { LoadedAddresses } from '../model.ts';
import type { Message } from '../../core/wire/message.ts';

/** Returns all addresses of a transaction in index order: static, loaded writable, loaded readonly. */
export function accountKeys(message: Message, loaded: LoadedAddresses): readonly string[] {
  return message.lookups.length === 0
    ? message.staticKeys
    : [...message.staticKeys, ...loaded.writable, ...loaded.readonly];
}

/** Returns the addresses that a transaction may change: never reserved keys and called programs. */
export function writableKeys(message: Message, loaded: LoadedAddresses): readonly string[] {
  const demotesPrograms = !accountKeys(message, loaded).includes(UPGRADEABLE_LOADER);
  const programs = new Set(
    demotesPrograms ? message.instructions.map(({ programIdIndex }) => programIdIndex) : [],
  );
  const fixed = message.staticKeys.filter(
    (_key, index) => asksToWrite(message, index) && !programs.has(index),
  );
  return [...fixed, ...loaded.writable].filter((key) => !RESERVED_KEYS.has(key));
}

/** True when the account at an index must sign. */
export function isSigner({ header }: Message, index: number): boolean {
  return index < header.numRequiredSignatures;
}

function asksToWrite({ header, staticKeys }: Message, index: number): boolean {
  const { numRequiredSignatures: signers, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  if (index < signers) return index < signers - numReadonlySignedAccounts;
  return index < staticKeys.length - numReadonlyUnsignedAccounts;
}
