/** Writes little-endian values in order into a buffer of known size. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  u8(value: number): this {
    this.#view.setUint8(this.#offset, value);
    this.#offset += 1;
    return this;
  }

  u16(value: number): this {
    this.#view.setUint16(this.#offset, value, true);
    this.#offset += 2;
    return this;
  }

  i16(value: number): this {
    this.#view.setInt16(this.#offset, value, true);
    this.#offset += 2;
    return this;
  }

  u32(value: number): this {
    this.#view.setUint32(this.#offset, value, true);
    this.#offset += 4;
    return this;
  }

  i32(value: number): this {
    this.#view.setInt32(this.#offset, value, true);
    this.#offset += 4;
    return this;
  }

  u64(value: bigint): this {
    this.#view.setBigUint64(this.#offset, value, true);
    this.#offset += 8;
    return this;
  }

  i64(value: bigint): this {
    this.#view.setBigInt64(this.#offset, value, true);
    this.#offset += 8;
    return this;
  }

  f64(value: number): this {
    this.#view.setFloat64(this.#offset, value, true);
    this.#offset += 8;
    return this;
  }

  put(bytes: Uint8Array): this {
    this.bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
    return this;
  }
}
