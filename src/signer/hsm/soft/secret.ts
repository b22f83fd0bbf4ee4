import sodium from 'sodium-native';

/**
 * Allocates memory for a secret: outside the garbage-collected heap, between guard pages, left out of core dumps, and kept out of swap as
 * far as the system lets a process lock memory (libsodium `sodium_malloc`). It costs pages: make few and reuse them.
 */
export function secretBuffer(sizeBytes: number): Buffer {
  return sodium.sodium_malloc(sizeBytes);
}

/** Overwrites a secret; the compiler cannot optimize it away. */
export function wipe(secret: Uint8Array): void {
  sodium.sodium_memzero(secret);
}
