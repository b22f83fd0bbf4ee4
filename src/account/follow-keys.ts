import { sql } from 'drizzle-orm';
import type { Store } from '../store/open-store.ts';
import { Keyring, loadKeyring, readKey, readKeys } from './keyring.ts';

/** A ring that is kept in step with the store, whichever process changes it. */
export type FollowedKeys = { readonly keyring: Keyring; readonly close: () => Promise<void> };

const CHANNEL = 'keyslot_api_keys';
const ID = /^[0-9a-f-]{36}$/;

/**
 * Reads every key of the store, and follows what other processes do to keys: a key that is made, rotated or revoked anywhere
 * is so here as soon as PostgreSQL tells of it. While the store cannot be heard, the ring stays as it is; once it can be
 * again, every key is read anew. The embedded store is this process's own, where each change is made in the ring too.
 */
export async function followKeys(store: Store): Promise<FollowedKeys> {
  if (store.listen === undefined) return { keyring: await loadKeyring(store), close: async () => undefined };
  const keyring = new Keyring();
  const { close } = await store.listen(CHANNEL, {
    onConnected: () => readKeys(store, keyring),
    onAnnouncement: async (keyId) => {
      if (ID.test(keyId)) await readKey(store, keyring, keyId);
    },
  });
  return { keyring, close };
}

/** Tells all who follow the keys of this store to read one of them again, once the transaction is through. */
export async function announceKey(tx: Pick<Store['db'], 'execute'>, keyId: string): Promise<void> {
  await tx.execute(sql`select pg_notify(${CHANNEL}, ${keyId})`);
}
