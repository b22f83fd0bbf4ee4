/** Encodes bytes as padded base-64 text in the standard alphabet (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
