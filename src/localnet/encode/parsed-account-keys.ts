import type { ParsedAccountKey } from '../../../generated/ledger/types.ts';
import type { LoadedAddresses } from '../model.ts';
import type { Message } from '../../wire/message.ts';
import { accountKeys, isSigner, writableKeys } from '../transaction/account-keys.ts';

/** Returns all account keys with their roles in the transaction; writable as the runtime grants it, not as requested. */
export function parseAccountKeys(message: Message, loaded: LoadedAddresses): ParsedAccountKey[] {
  const writable = new Set(writableKeys(message, loaded));
  return accountKeys(message, loaded).map((pubkey, index) => ({
    pubkey,
    writable: writable.has(pubkey),
    signer: isSigner(message, index),
    source: index < message.staticKeys.length ? 'transaction' : 'lookupTable',
  }));
}
