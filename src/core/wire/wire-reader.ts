/** The bytes are not a transaction or message. `reason` is the message of a node's deserializer (crate wincode). */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes';
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Reads the wire form of transactions, little-endian. Every method throws MalformedBytes if the bytes end early. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Number of unread bytes. */
  get left(): number {
    return this.#bytes.length - this.offset;
  }

  peek(): number {
    this.#assertLeft(1);
    return this.#bytes[this.offset] ?? 0;
  }

  u8(): number {
    const value = this.peek();
    this.offset += 1;
    return value;
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  /** Returns the next bytes, not copied. */
  take(count: number): Uint8Array {
    const start = this.#advance(count);
    return this.#bytes.subarray(start, this.offset);
  }

  skip(count: number): void {
    this.#advance(count);
  }

  /** Checks that this many bytes are left, for parts that a node reads at once. */
  expect(count: number): void {
    this.#assertLeft(count);
  }

  /** A compact-u16: one to three bytes, seven bits each, in its shortest form. */
  length(): number {
    const first = this.u8();
    if (first < 0x80) return first;
    const second = this.#laterByte();
    const low = (first & 0x7f) | ((second & 0x7f) << 7);
    if (second < 0x80) return low;
    const third = this.#laterByte();
    if (third > 3)
      throw new MalformedBytes('Sequence length would overflow length encoding scheme: u16::MAX');
    return low | (third << 14);
  }

  /** A vector: a compact-u16 length and that many entries. */
  list<T>(read: () => T): T[] {
    return this.times(this.length(), read);
  }

  /** Reads a known number of entries. */
  times<T>(count: number, read: () => T): T[] {
    return Array.from({ length: count }, read);
  }

  /** A zero here would mean that fewer bytes would have sufficed. */
  #laterByte(): number {
    const byte = this.u8();
    if (byte === 0) throw new MalformedBytes('Invalid value: short u16: non-canonical encoding');
    return byte;
  }

  #advance(count: number): number {
    this.#assertLeft(count);
    const start = this.offset;
    this.offset += count;
    return start;
  }

  #assertLeft(count: number): void {
    if (count > this.left) throw new MalformedBytes(`Attempting to read ${count} bytes`);
  }
}
