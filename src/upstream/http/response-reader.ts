import { ChunkedBody } from './chunked-body.ts';
import { readResponseHead, ResponseFault, type ResponseHead } from './response-head.ts';

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
    if (this.#sink === undefined) throw new ResponseFault('bytes that answer nothing');
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
      if (this.#headBytes + upTo > MAX_HEAD_BYTES) throw new ResponseFault('the head is too long');
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
      if (head.status === 101) throw new ResponseFault('the node changes the protocol');
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
    if (end < bytes.length) throw new ResponseFault('bytes behind the body');
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
