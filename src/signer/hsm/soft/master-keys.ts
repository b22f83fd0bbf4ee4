import type { MasterKeys } from './master-key.ts';

/** Where the live master keys come from, and how they change. */
export type MasterKeyStore = {
  readonly keys: () => MasterKeys;
  /** Makes a new current key, on the disk before it is used; with a previous key live, nothing. */
  readonly begin: () => Promise<void>;
  /** Forgets the previous key. */
  readonly finish: () => Promise<void>;
};
