import type { Hsm } from '../hsm/hsm.ts';
import type { Hello } from '../wire/hello.ts';
import { MAX_ITEMS } from '../wire/limits.ts';

/** A backend that makes fewer keys in a second states the most that one batch may have. */
const SLOW_BELOW_PER_SECOND = 500;
/** A batch that a slow backend takes is made in so long. */
const BATCH_SECONDS = 10;
const SLOW_KEYS_PER_REQUEST = 16;

/** What a backend can do, with the batch that it takes: as configured, else by the keys that it was seen to make. */
export function helloOf(hsm: Hsm, configuredBatch: number | undefined, publicKey: Uint8Array): Hello {
  const { kind, protection, keysIn, keysPerSecond } = hsm.traits;
  const isSlow = keysPerSecond !== undefined && keysPerSecond < SLOW_BELOW_PER_SECOND;
  return {
    identity: Buffer.from(publicKey).toString('hex'),
    kind,
    protection,
    keysIn,
    derive: hsm.derivation !== undefined,
    rotatesMaster: hsm.rotation !== undefined,
    maxManagedBatch: configuredBatch ?? (isSlow ? roundDown(keysPerSecond * BATCH_SECONDS) : undefined),
    keysPerRequest: isSlow ? SLOW_KEYS_PER_REQUEST : MAX_ITEMS,
  };
}

/** To one digit, so that the bound is the same at most starts. At least 1. */
function roundDown(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return Math.max(1, Math.floor(value / unit) * unit);
}
