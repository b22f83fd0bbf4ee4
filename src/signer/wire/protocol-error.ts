/** Bytes that violate the protocol. The message names the rule and repeats none of the bytes. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
