const FIRST_BYTES = 256;

/** Writes the members of a frame in order, numbers in network order. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  u8(value: number): this {
    this.#length = this.#room(1).writeUInt8(value, this.#length);
    return this;
  }

  u16(value: number): this {
    this.#length = this.#room(2).writeUInt16BE(value, this.#length);
    return this;
  }

  u32(value: number): this {
    this.#length = this.#room(4).writeUInt32BE(value, this.#length);
    return this;
  }

  /** Writes bytes whose number the reader knows. */
  fixed(value: Uint8Array): this {
    this.#room(value.length).set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  /** Writes a length of 32 bits, then the bytes. */
  bytes(value: Uint8Array): this {
    return this.u32(value.length).fixed(value);
  }

  text(value: string): this {
    return this.bytes(Buffer.from(value));
  }

  list<T>(items: readonly T[], write: (writer: this, item: T) => void): this {
    this.u16(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  done(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(more: number): Buffer {
    const needed = this.#length + more;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes.fill(0);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}
