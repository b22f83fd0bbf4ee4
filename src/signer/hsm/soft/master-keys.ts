import type { MasterKeys } from './master-key.ts';

/** The source of the live master keys, and their rotation. */
export type MasterKeyStore = {
  readonly keys: () => MasterKeys;
  /** Makes a new current key, synced to disk before it is used; does nothing while a previous key is live. */
  readonly begin: () => Promise<void>;
  /** Drops the previous key. */
  readonly finish: () => Promise<void>;
};
