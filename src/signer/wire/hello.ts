import type { HsmTraits } from '../hsm/hsm.ts';

/** The signer's message after opening its backend. */
export type Hello = Pick<HsmTraits, 'kind' | 'protection' | 'keysIn'> & {
  /** Its own public key in hex, the same at each start. */
  readonly identity: string;
  /** True if keys can be derived from a managed master. */
  readonly derive: boolean;
  /** True if `keyslot signer rotate-master` has something to do. */
  readonly rotatesMaster: boolean;
  /** Maximum number of keys in one batch, if configured. */
  readonly maxManagedBatch: number | undefined;
  /** Recommended number of keys per request. */
  readonly keysPerRequest: number;
};

/** Parses the signer's hello. */
export function parseHello(text: string): Hello {
  const hello = JSON.parse(text) as Hello;
  return { ...hello, maxManagedBatch: hello.maxManagedBatch };
}
