import sodium from 'sodium-native';
import { secretBytes } from '../../../keys/secret-bytes.ts';
import { secretBuffer, wipe } from './secret.ts';

export const MASTER_KEY_BYTES = 32;
export const MASTER_KEY_ID_BYTES = 8;

const ID_LABEL = Buffer.from('keyslot master key id, version 1');

/** A master key in secret memory. `id` names it without revealing anything of it. */
export type MasterKey = { readonly id: Buffer; readonly key: Buffer };

/** The live master keys: everything is sealed under `current`; `previous` opens until its rotation is finished. */
export type MasterKeys = { readonly current: MasterKey; readonly previous: MasterKey | undefined };

/** Moves the 32 bytes into secret memory and wipes their source. */
export function takeMasterKey(bytes: Buffer): MasterKey {
  const key = secretBuffer(MASTER_KEY_BYTES);
  bytes.copy(key);
  wipe(bytes);
  const id = Buffer.alloc(32);
  sodium.crypto_auth(id, ID_LABEL, key);
  return { id: id.subarray(0, MASTER_KEY_ID_BYTES), key };
}

/** Returns a new random master key. */
export function newMasterKey(): MasterKey {
  const bytes = secretBytes(MASTER_KEY_BYTES);
  sodium.randombytes_buf(bytes);
  return takeMasterKey(bytes);
}
