/** Bytes that are not of the protocol. The text says which rule they break and repeats none of them. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
