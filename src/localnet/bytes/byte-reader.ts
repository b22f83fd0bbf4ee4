import { encodeBase58 } from './base58.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Aborts a decode; never thrown out of `decodeBytes`. */
class MalformedBytes extends Error {}

/** Reads little-endian values from the front of a byte string, as bincode and borsh write them. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Number of bytes left. */
  get left(): number {
    return this.#bytes.length - this.#offset;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  i16(): number {
    return this.#view.getInt16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  u128(): bigint {
    return this.u64() | (this.u64() << 64n);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#take(8), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** Reads a float that JSON can represent: neither infinite nor NaN. */
  finiteF64(): number {
    const value = this.f64();
    if (!Number.isFinite(value)) throw new MalformedBytes();
    return value;
  }

  /** A byte that must be 0 or 1. */
  bool(): boolean {
    return this.oneOf(this.u8(), [false, true]);
  }

  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Reads all remaining bytes. */
  rest(): Uint8Array {
    return this.bytes(this.left);
  }

  /** Reads 32 bytes as a base-58 address (or hash). */
  address(): string {
    return encodeBase58(this.bytes(32));
  }

  /** Reads 32 bytes as an address; all zeros mean none. */
  nonZeroAddress(): string | null {
    const bytes = this.bytes(32);
    return bytes.every((byte) => byte === 0) ? null : encodeBase58(bytes);
  }

  /** Reads a value after a presence byte, 0 or 1. */
  option<T>(read: () => T): T | null {
    return this.bool() ? read() : null;
  }

  /** Reads UTF-8 text of `length` bytes. */
  text(length: number): string {
    try {
      return UTF8.decode(this.bytes(length));
    } catch {
      return this.reject();
    }
  }

  /** Reads UTF-8 text after a u64 length (bincode). */
  longText(): string {
    return this.text(this.length(this.u64()));
  }

  /** Reads UTF-8 text after a u32 length (borsh). */
  shortText(): string {
    return this.text(this.u32());
  }

  /** Reads `count` values; a count beyond the remaining bytes is malformed. */
  list<T>(count: bigint | number, read: () => T): T[] {
    return Array.from({ length: this.length(count) }, read);
  }

  /** Returns the entry of `table` at `index`; malformed if out of range. */
  oneOf<T>(index: number, table: readonly T[]): T {
    const entry = table[index];
    return entry === undefined ? this.reject() : entry;
  }

  /** Malformed unless every byte has been read. */
  end(): void {
    if (this.left > 0) this.reject();
  }

  /** Aborts the decode: the bytes are not of the expected form. */
  reject(): never {
    throw new MalformedBytes();
  }

  /** Converts a length in the data to a number; malformed beyond the remaining bytes. */
  length(count: bigint | number): number {
    return count > this.left ? this.reject() : Number(count);
  }

  #take(length: number): number {
    if (length > this.left) this.reject();
    const start = this.#offset;
    this.#offset += length;
    return start;
  }
}

/** Returns the result of `decode`; undefined if the bytes end too soon or `decode` rejects them. */
export function decodeBytes<T>(bytes: Uint8Array, decode: (reader: ByteReader) => T): T | undefined {
  try {
    return decode(new ByteReader(bytes));
  } catch (error) {
    if (error instanceof MalformedBytes) return undefined;
    throw error;
  }
}
