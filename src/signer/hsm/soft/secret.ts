import sodium from 'sodium-native';

/**
 * Memory for a secret: outside the heap that is collected, between guard pages, left out of core dumps, and kept out of swap
 * as far as the system lets a process lock memory (libsodium `sodium_malloc`). It costs pages: make few and use them again.
 */
export function secretBuffer(sizeBytes: number): Buffer {
  return sodium.sodium_malloc(sizeBytes);
}

/** Overwrites a secret; the compiler cannot leave it out. */
export function wipe(secret: Uint8Array): void {
  sodium.sodium_memzero(secret);
}
