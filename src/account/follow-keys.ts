import type { Store, StoreTransaction } from '../store/open-store.ts';
import { announce, followStore } from './follow-store.ts';
import { Keyring, readKey, readKeys } from './keyring.ts';

/** A ring that is kept in step with the store, whichever process changes it. */
export type FollowedKeys = { readonly keyring: Keyring; readonly close: () => Promise<void> };

const CHANNEL = 'keyslot_api_keys';

/**
 * Reads every key of the store, and follows what other processes do to keys: a key that is made, rotated or revoked anywhere
 * is so here as soon as PostgreSQL tells of it. While the store cannot be heard, the ring stays as it is; once it can be
 * again, every key is read anew. The embedded store is this process's own, where each change is made in the ring too.
 */
export async function followKeys(store: Store): Promise<FollowedKeys> {
  const keyring = new Keyring();
  const read = (keyId?: string): Promise<void> =>
    keyId === undefined ? readKeys(store, keyring) : readKey(store, keyring, keyId);
  const { close } = await followStore(store.listen, { channel: CHANNEL, read });
  return { keyring, close };
}

/** Tells all who follow the keys of this store to read one of them again, once the transaction is through. */
export function announceKey(tx: Pick<StoreTransaction, 'execute'>, keyId: string): Promise<void> {
  return announce(tx, CHANNEL, keyId);
}
