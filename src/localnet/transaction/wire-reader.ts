/** The bytes end early, or a length is not in its shortest form. `reason` is the deserializer's own text. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Reads the wire form of transactions: bytes, and compact-u16 lengths. */
export class WireReader {
  readonly #bytes: Uint8Array;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  peek(): number {
    return this.#at(this.offset);
  }

  u8(): number {
    const value = this.#at(this.offset);
    this.offset += 1;
    return value;
  }

  take(count: number): Uint8Array {
    const end = this.offset + count;
    if (end > this.#bytes.length) throw new MalformedBytes('io error: failed to fill whole buffer');
    const taken = this.#bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }

  /** A compact-u16: one to three bytes, seven bits each, in its shortest form. */
  length(): number {
    let value = 0;
    for (let position = 0; position < 3; position++) {
      const byte = this.u8();
      if (byte === 0 && position > 0)
        throw new MalformedBytes('invalid value: alias encoding, expected strict form short_u16');
      value |= (byte & 0x7f) << (position * 7);
      if (value > 0xffff) throw new MalformedBytes('invalid value: integer `overflow`, expected short_u16');
      if ((byte & 0x80) === 0) return value;
    }
    throw new MalformedBytes('invalid value: byte three continues, expected short_u16');
  }

  /** A vector: a compact-u16 length and that many entries. */
  list<T>(read: () => T): T[] {
    const length = this.length();
    const entries: T[] = [];
    for (let index = 0; index < length; index++) entries.push(read());
    return entries;
  }

  #at(offset: number): number {
    const byte = this.#bytes[offset];
    if (byte === undefined) throw new MalformedBytes('io error: failed to fill whole buffer');
    return byte;
  }
}
