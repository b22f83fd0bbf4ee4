import type { Hsm } from '../hsm/hsm.ts';
import type { Hello } from '../wire/hello.ts';

/** Describes the abilities of a backend, with the configured maximum size of a batch. */
export function helloOf(hsm: Hsm, maxManagedBatch: number | undefined, publicKey: Uint8Array): Hello {
  const { kind, protection, keysIn, keysPerRequest } = hsm.traits;
  return {
    identity: Buffer.from(publicKey).toString('hex'),
    kind,
    protection,
    keysIn,
    derive: hsm.derivation !== undefined,
    rotatesMaster: hsm.rotation !== undefined,
    maxManagedBatch,
    keysPerRequest,
  };
}
