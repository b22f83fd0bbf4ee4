import type { Clock } from '../../../core/clock.ts';
import type { Store } from '../../../store/open-store.ts';
import type { StoreTransaction } from '../../../store/transaction.ts';
import { announce, followStore } from '../../../store/follow-store.ts';
import { Keyring, readKey, readKeys } from './keyring.ts';

/** A ring that is kept in step with the store, whichever process changes it. */
export type FollowedKeys = { readonly keyring: Keyring; readonly close: () => Promise<void> };

const CHANNEL = 'keyslot_api_keys';
const FORGET_MS = 3_600_000;

/**
 * Reads the keys of the store and follows changes by other processes: a key that is created, rotated or revoked anywhere is updated here
 * as soon as PostgreSQL notifies. While notifications are interrupted, the ring stays as it is; afterwards every key is read again. The
 * embedded store belongs to this process, which makes each change in the ring too.
 */
export async function followKeys(store: Store, clock: Clock): Promise<FollowedKeys> {
  const keyring = new Keyring();
  const read = (keyId?: string): Promise<void> =>
    keyId === undefined
      ? readKeys(store, keyring, clock.nowMs())
      : readKey(store, keyring, keyId, clock.nowMs());
  const following = await followStore(store.listen, { channel: CHANNEL, read });
  const forgetting = setInterval(() => keyring.forgetEnded(clock.nowMs()), FORGET_MS).unref();
  const close = async (): Promise<void> => {
    clearInterval(forgetting);
    await following.close();
  };
  return { keyring, close };
}

/** Notifies all processes that follow the keys of this store to read one again, once the transaction commits. */
export function announceKey(tx: Pick<StoreTransaction, 'execute'>, keyId: string): Promise<void> {
  return announce(tx, CHANNEL, keyId);
}
