const BYTES = 16;

/** Returns 128 random bits in hexadecimal; `randomUUID` is not there in pages without TLS. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
