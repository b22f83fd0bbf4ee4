import { isUtf8 } from 'node:buffer';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const SIMPLE_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** Deeper than any answer, and shallower than the depth at which clients give up. */
const MAX_DEPTH = 512;

/**
 * True if the bytes are one JSON text (RFC 8259) in UTF-8: accepts what JSON.parse accepts, without building a value. Text
 * nested deeper than 512 levels is rejected.
 */
export function isJson(bytes: Buffer): boolean {
  return isUtf8(bytes) && new JsonWalk(bytes).isWhole();
}

class JsonWalk {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isWhole(): boolean {
    return this.#skipValue(0) && this.#skipSpace() === undefined;
  }

  #skipValue(depth: number): boolean {
    const first = this.#skipSpace();
    if (first === QUOTE) return this.#skipString();
    if (first === OPEN_BRACE) return depth < MAX_DEPTH && this.#skipItems(CLOSE_BRACE, depth + 1);
    if (first === OPEN_BRACKET) return depth < MAX_DEPTH && this.#skipItems(CLOSE_BRACKET, depth + 1);
    if (first === MINUS || isDigit(first)) return this.#skipNumber();
    return WORDS.some((word) => this.#skipWord(word));
  }

  /** Skips the members of an object, or the items of an array, up to the byte that closes it. */
  #skipItems(close: number, depth: number): boolean {
    this.#at += 1;
    if (this.#skipSpace() === close) return this.#step();
    for (;;) {
      if (close === CLOSE_BRACE && !this.#skipName()) return false;
      if (!this.#skipValue(depth)) return false;
      const next = this.#skipSpace();
      this.#at += 1;
      if (next === close) return true;
      if (next !== COMMA) return false;
    }
  }

  #skipName(): boolean {
    return this.#skipSpace() === QUOTE && this.#skipString() && this.#skipSpace() === COLON && this.#step();
  }

  #skipString(): boolean {
    const bytes = this.#bytes;
    for (let at = this.#at + 1; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (byte < 0x20) return false;
      if (byte === BACKSLASH) {
        at += 1;
        if (bytes[at] === 0x75) {
          if (!/^[0-9a-f]{4}$/i.test(bytes.toString('latin1', at + 1, at + 5))) return false;
          at += 4;
        } else if (!SIMPLE_ESCAPES.has(bytes[at] ?? 0)) return false;
      }
    }
    return false;
  }

  #skipNumber(): boolean {
    if (this.#bytes[this.#at] === MINUS) this.#at += 1;
    if (this.#bytes[this.#at] === ZERO) this.#at += 1;
    else if (!this.#skipDigits()) return false;
    if (this.#bytes[this.#at] === 0x2e && !(this.#step() && this.#skipDigits())) return false;
    const exponent = this.#bytes[this.#at];
    if (exponent !== 0x65 && exponent !== 0x45) return true;
    this.#at += 1;
    const sign = this.#bytes[this.#at];
    if (sign === 0x2b || sign === MINUS) this.#at += 1;
    return this.#skipDigits();
  }

  /** True if there is at least one digit. */
  #skipDigits(): boolean {
    const start = this.#at;
    while (isDigit(this.#bytes[this.#at])) this.#at += 1;
    return this.#at > start;
  }

  #skipWord(word: Buffer): boolean {
    const end = this.#at + word.length;
    if (!word.equals(this.#bytes.subarray(this.#at, end))) return false;
    this.#at = end;
    return true;
  }

  #step(): boolean {
    this.#at += 1;
    return true;
  }

  /** @returns the byte after the space; undefined at the end. */
  #skipSpace(): number | undefined {
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.#at += 1;
    }
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
