/**
 * Memory for a secret, of zeros; whoever asks for it wipes it. V8 puts a typed array of up to 64 bytes on its heap: it is copied from there when
 * the collector moves it and when native code first takes it, so that what wipes it later wipes the last copy. Memory that is
 * given as an ArrayBuffer of its own lies elsewhere, in one place.
 */
export function secretBytes(sizeBytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(new ArrayBuffer(sizeBytes));
}

/** A copy of a secret in such memory. */
export function copySecret(secret: Uint8Array): Buffer<ArrayBuffer> {
  const copy = secretBytes(secret.length);
  copy.set(secret);
  return copy;
}
