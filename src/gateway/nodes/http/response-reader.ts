import { readResponseHead, ResponseFault, type ResponseHead, isTrailerField } from './response-head.ts';

/** Receives one response: its head, the parts of its body, its end. */
export type ResponseSink = {
  readonly onHead: (head: ResponseHead) => void;
  /** `data` belongs to the reader of the connection. */
  readonly onData: (data: Buffer) => void;
  readonly onEnd: () => void;
};

const HEAD_END = '\r\n\r\n';
const EMPTY = Buffer.alloc(0);
const MAX_HEAD_BYTES = 16_384;

/**
 * Reads the responses of one connection, one after the other, from bytes that may be cut anywhere (RFC 9112). Anything that is
 * not exactly HTTP/1, or could be read in two ways, throws `ResponseFault`; the connection is unusable after that.
 */
export class ResponseReader {
  #sink: ResponseSink | undefined;
  /** The beginning of a head whose end has not arrived. */
  #partial: Buffer = EMPTY;
  #headBytes = 0;
  #head: ResponseHead | undefined;
  #leftBytes = 0;
  #chunked: ChunkedBody | undefined;
  /** Most heads of a busy node repeat: the text of the last one, and its parsed form. */
  #lastText = '';
  #lastHead: ResponseHead | undefined;

  /** Sends the next response to `sink`. The one before must have ended. */
  begin(sink: ResponseSink): void {
    this.#sink = sink;
    this.#head = undefined;
    this.#headBytes = 0;
  }

  /** Reads the next bytes, and may move them within `bytes`. @returns the head if the response has ended with them. */
  read(bytes: Buffer): ResponseHead | undefined {
    if (this.#sink === undefined) throw new ResponseFault('unexpected bytes without a request');
    const body = this.#head === undefined ? this.#readHead(bytes) : bytes;
    if (this.#head === undefined || body === undefined) return undefined;
    return this.#readBody(this.#head, body, this.#sink);
  }

  /** The node has closed its side. @returns true if that completes the response. */
  end(): boolean {
    if (this.#head?.body.kind !== 'untilEnd' || this.#sink === undefined) return false;
    this.#finish(this.#sink);
    return true;
  }

  /** @returns the bytes after the head. Interim responses (RFC 9110, section 15.2) are skipped. */
  #readHead(bytes: Buffer): Buffer | undefined {
    let rest = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes]);
    this.#partial = EMPTY;
    for (;;) {
      const end = rest.indexOf(HEAD_END);
      const upTo = end < 0 ? rest.length : end + HEAD_END.length;
      if (this.#headBytes + upTo > MAX_HEAD_BYTES) throw new ResponseFault('the response head is too long');
      if (end < 0) {
        this.#partial = Buffer.from(rest);
        return undefined;
      }
      this.#headBytes += upTo;
      const head = this.#parseHead(rest.toString('latin1', 0, end));
      rest = rest.subarray(upTo);
      if (head.status >= 200) {
        this.#startBody(head);
        return rest;
      }
      if (head.status === 101) throw new ResponseFault('unexpected protocol switch (status 101)');
    }
  }

  #parseHead(text: string): ResponseHead {
    if (text === this.#lastText && this.#lastHead !== undefined) return this.#lastHead;
    const head = readResponseHead(text);
    this.#lastText = text;
    this.#lastHead = head;
    return head;
  }

  #startBody(head: ResponseHead): void {
    this.#head = head;
    this.#leftBytes = head.body.kind === 'sized' ? head.body.sizeBytes : Number.POSITIVE_INFINITY;
    this.#chunked = head.body.kind === 'chunked' ? new ChunkedBody() : undefined;
    this.#sink?.onHead(head);
  }

  #readBody(head: ResponseHead, bytes: Buffer, sink: ResponseSink): ResponseHead | undefined {
    const end =
      this.#chunked === undefined
        ? this.#readSized(bytes, sink)
        : this.#chunked.read(bytes, (data) => sink.onData(data));
    if (end === undefined) return undefined;
    this.#finish(sink);
    if (end < bytes.length) throw new ResponseFault('unexpected bytes after the body');
    return head;
  }

  #readSized(bytes: Buffer, sink: ResponseSink): number | undefined {
    const data = bytes.subarray(0, this.#leftBytes);
    this.#leftBytes -= data.length;
    if (data.length > 0) sink.onData(data);
    return this.#leftBytes === 0 ? data.length : undefined;
  }

  #finish(sink: ResponseSink): void {
    this.#sink = undefined;
    sink.onEnd();
  }
}

const LF = 0x0a;
const TOKEN = "[!#$%&'*+\\-.^`|~0-9A-Za-z]+";
/** The size of a chunk, and its extensions, which are ignored. */
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
class ChunkedBody {
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
      if (this.#line.length > MAX_LINE_BYTES) throw new ResponseFault('a chunk header is too long');
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
    if (!line.endsWith('\r\n')) throw new ResponseFault('a chunk header ends without a carriage return');
    return line.slice(0, -2);
  }

  #isEnd(line: string): boolean {
    if (this.#expects === 'size') this.#readSize(line);
    else if (this.#expects === 'trailer') return this.#isTrailerEnd(line);
    else if (line === '') this.#expects = 'size';
    else throw new ResponseFault('a chunk is longer than its declared size');
    return false;
  }

  #readSize(line: string): void {
    const size = SIZE_LINE.exec(line)?.[1];
    if (size === undefined) throw new ResponseFault('invalid chunk size');
    this.#leftBytes = Number.parseInt(size, 16);
    this.#expects = this.#leftBytes === 0 ? 'trailer' : 'data';
  }

  #isTrailerEnd(line: string): boolean {
    if (line === '') return true;
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > MAX_TRAILER_BYTES || !isTrailerField(line))
      throw new ResponseFault('the trailer is too long or has a forbidden field');
    return false;
  }
}
