import type { Hsm } from '../hsm/hsm.ts';
import type { Hello } from '../wire/hello.ts';
import { MAX_ITEMS } from '../wire/limits.ts';

/** For a token, which may make one or two keys a second: they must be done before the deadline of the request. */
const TOKEN_KEYS_PER_REQUEST = 16;

/** Describes the abilities of a backend, with the configured maximum size of a batch. */
export function helloOf(hsm: Hsm, maxManagedBatch: number | undefined, publicKey: Uint8Array): Hello {
  const { kind, protection, keysIn } = hsm.traits;
  return {
    identity: Buffer.from(publicKey).toString('hex'),
    kind,
    protection,
    keysIn,
    derive: hsm.derivation !== undefined,
    rotatesMaster: hsm.rotation !== undefined,
    maxManagedBatch,
    keysPerRequest: kind === 'pkcs11' ? TOKEN_KEYS_PER_REQUEST : MAX_ITEMS,
  };
}
