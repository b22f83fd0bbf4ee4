import type { HsmTraits } from '../hsm/hsm.ts';

/** What the signer says when it has opened its backend. */
export type Hello = Pick<HsmTraits, 'kind' | 'protection' | 'keysIn'> & {
  /** Its own public key, in hex: it stays the same at each start. */
  readonly identity: string;
  /** Whether keys can be derived from a managed master. */
  readonly derive: boolean;
  /** Whether `keyslot signer rotate-master` has something to do. */
  readonly rotatesMaster: boolean;
  /** Most keys in one batch, where that is configured. */
  readonly maxManagedBatch: number | undefined;
  /** Keys that one request should ask for. */
  readonly keysPerRequest: number;
};

/** Reads what the signer said of itself. */
export function parseHello(text: string): Hello {
  const hello = JSON.parse(text) as Hello;
  return { ...hello, maxManagedBatch: hello.maxManagedBatch };
}
