import type { ParsedAccountKey } from '../../../generated/ledger/types.ts';
import type { LoadedAddresses } from '../model.ts';
import type { Message } from '../../wire/message.ts';
import { accountKeys, isSigner, writableKeys } from '../transaction/account-keys.ts';

/** All account keys with what the transaction may do with them; writable as the runtime grants it, not as asked for. */
export function parseAccountKeys(message: Message, loaded: LoadedAddresses): ParsedAccountKey[] {
  const writable = new Set(writableKeys(message, loaded));
  return accountKeys(message, loaded).map((pubkey, index) => ({
    pubkey,
    writable: writable.has(pubkey),
    signer: isSigner(message, index),
    source: index < message.staticKeys.length ? 'transaction' : 'lookupTable',
  }));
}
