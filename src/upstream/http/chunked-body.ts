import { isTrailerField, ResponseFault } from './response-head.ts';

const LF = 0x0a;
const TOKEN = "[!#$%&'*+\\-.^`|~0-9A-Za-z]+";
/** The size of a chunk, and extensions, which nobody uses. */
const SIZE_LINE = new RegExp(`^([0-9A-Fa-f]{1,8})(?:;${TOKEN}(?:=(?:${TOKEN}|"[\\t !#-[\\]-~]*"))?)*$`);
const MAX_LINE_BYTES = 4_096;
const MAX_TRAILER_BYTES = 16_384;

/** Compacts pieces of a buffer: each is moved to the end of the one before. */
class Compactor {
  readonly #bytes: Buffer;
  #start = 0;
  #end = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  add(start: number, end: number): void {
    if (this.#end === this.#start) this.#start = this.#end = start;
    else this.#bytes.copyWithin(this.#end, start, end);
    this.#end += end - start;
  }

  handOn(onData: (data: Buffer) => void): void {
    if (this.#end > this.#start) onData(this.#bytes.subarray(this.#start, this.#end));
  }
}

/** Decodes a body in the chunked transfer coding (RFC 9112, section 7.1), part by part. */
export class ChunkedBody {
  #expects: 'size' | 'data' | 'dataEnd' | 'trailer' = 'size';
  #leftBytes = 0;
  #trailerBytes = 0;
  /** A line whose end has not arrived. */
  #line = '';

  /**
   * Passes on the data in `bytes`, in one piece: chunks are compacted in place, since a node may send many small ones.
   *
   * @returns the offset where the body ends; undefined: not yet. Throws `ResponseFault`.
   */
  read(bytes: Buffer, onData: (data: Buffer) => void): number | undefined {
    let at = 0;
    const data = new Compactor(bytes);
    while (at < bytes.length) {
      if (this.#expects === 'data') {
        const end = Math.min(at + this.#leftBytes, bytes.length);
        data.add(at, end);
        this.#leftBytes -= end - at;
        at = end;
        if (this.#leftBytes === 0) this.#expects = 'dataEnd';
        continue;
      }
      const lineFeed = bytes.indexOf(LF, at);
      const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
      this.#line += bytes.toString('latin1', at, Math.min(end, at + MAX_LINE_BYTES + 1));
      if (this.#line.length > MAX_LINE_BYTES)
        throw new ResponseFault('a line of the chunked coding is too long');
      at = end;
      if (lineFeed >= 0 && this.#isEnd(this.#takeLine())) {
        data.handOn(onData);
        return at;
      }
    }
    data.handOn(onData);
    return undefined;
  }

  #takeLine(): string {
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r\n'))
      throw new ResponseFault('a line of the chunked coding ends without a carriage return');
    return line.slice(0, -2);
  }

  #isEnd(line: string): boolean {
    if (this.#expects === 'size') this.#readSize(line);
    else if (this.#expects === 'trailer') return this.#isTrailerEnd(line);
    else if (line === '') this.#expects = 'size';
    else throw new ResponseFault('a chunk is longer than its size line says');
    return false;
  }

  #readSize(line: string): void {
    const size = SIZE_LINE.exec(line)?.[1];
    if (size === undefined) throw new ResponseFault('the size of a chunk is not a number');
    this.#leftBytes = Number.parseInt(size, 16);
    this.#expects = this.#leftBytes === 0 ? 'trailer' : 'data';
  }

  #isTrailerEnd(line: string): boolean {
    if (line === '') return true;
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > MAX_TRAILER_BYTES || !isTrailerField(line))
      throw new ResponseFault('the trailer is too long or has a field that is not allowed there');
    return false;
  }
}
