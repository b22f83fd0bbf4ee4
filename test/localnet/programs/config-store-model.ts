import type { AccountMeta } from '@solana/web3.js';
import type { ConfigKey } from './config-store.ts';

export type StoreCase = {
  /** The keys that the account has. */
  readonly stored: readonly ConfigKey[];
  readonly account: AccountMeta;
  readonly others: readonly AccountMeta[];
  readonly keys: readonly ConfigKey[];
  /** Bytes of the account, and of the instruction. */
  readonly room: number;
  readonly length: number;
};

const isEntry =
  ([key, signs]: ConfigKey) =>
  ([other, otherSigns]: ConfigKey): boolean =>
    key.equals(other) && signs === otherSigns;

/** The error of Store by the rules of the program, for lists that can be read; undefined: none. */
export function storeError({ stored, account, others, keys, room, length }: StoreCase): unknown {
  const storedSigners = stored.filter(([, signs]) => signs);
  const signers = keys.filter(([, signs]) => signs);
  const mayBeNew = stored.length === 0;
  const hasSigned = ([key, signs]: ConfigKey, index: number): boolean => {
    if (key.equals(account.pubkey)) return account.isSigner;
    const given = others[index];
    const isGiven = given?.isSigner === true && given.pubkey.equals(key);
    return isGiven && (mayBeNew || storedSigners.some(isEntry([key, signs])));
  };
  if (storedSigners.length === 0 && !account.isSigner) return 'MissingRequiredSignature';
  if (!signers.every(hasSigned)) return 'MissingRequiredSignature';
  if (keys.some((entry, index) => keys.findIndex(isEntry(entry)) !== index)) return 'InvalidArgument';
  if (storedSigners.length > signers.length) return 'MissingRequiredSignature';
  if (length > room) return 'InvalidInstructionData';
  return account.isWritable ? undefined : { Custom: 0 };
}
