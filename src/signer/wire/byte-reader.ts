/** Reads the members of a frame in order. Every read states its bound; a violation is a ProtocolError. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  u8(): number {
    return this.fixed(1).readUInt8();
  }

  u16(): number {
    return this.fixed(2).readUInt16BE();
  }

  u32(): number {
    return this.fixed(4).readUInt32BE();
  }

  /** Returns a view of the frame's bytes, not a copy. */
  fixed(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtocolError('a frame ends before its content');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  bytes(maxBytes: number): Buffer {
    const length = this.u32();
    if (length > maxBytes) throw new ProtocolError(`a member has ${length} bytes; ${maxBytes} are allowed`);
    return this.fixed(length);
  }

  text(maxBytes: number): string {
    return this.bytes(maxBytes).toString('utf8');
  }

  list<T>(maxItems: number, read: (reader: this) => T): readonly T[] {
    const length = this.u16();
    if (length > maxItems) throw new ProtocolError(`a list has ${length} items; ${maxItems} are allowed`);
    return Array.from({ length }, () => read(this));
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new ProtocolError('a frame continues after its content');
  }
}

/** Bytes that violate the protocol. The message names the rule and repeats none of the bytes. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
