/**
 * Allocates zeroed memory for a secret, which the caller wipes. V8 puts a typed array of up to 64 bytes on its heap: it is copied when the
 * collector moves it and when native code first uses it, so wiping it later wipes only the last copy. Memory with its own ArrayBuffer stays
 * outside the heap, in one place.
 */
export function secretBytes(sizeBytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(sizeBytes));
}

/** Copies a secret into such memory. */
export function copySecret(secret: Uint8Array): Buffer<ArrayBuffer> {
  const copy = secretBytes(secret.length);
  copy.set(secret);
  return copy;
}
