import { ChunkedBody } from './chunked-body.ts';
import { readResponseHead, ResponseFault, type ResponseHead } from './response-head.ts';

/** Told of one response: its head, the parts of its body, its end. */
export type ResponseSink = {
  readonly onHead: (head: ResponseHead) => void;
  /** `data` belongs to who reads the connection. */
  readonly onData: (data: Buffer) => void;
  readonly onEnd: () => void;
};

const HEAD_END = '\r\n\r\n';
const EMPTY = Buffer.alloc(0);
const MAX_HEAD_BYTES = 16_384;

/**
 * Reads the responses of one connection, one after the other, from bytes that may be cut anywhere (RFC 9112). What is not exactly HTTP/1, or could be
 * read in two ways, throws `ResponseFault`; the connection is then of no more use.
 */
export class ResponseReader {
  #sink: ResponseSink | undefined;
  /** The beginning of a head whose end has not come. */
  #partial: Buffer = EMPTY;
  #headBytes = 0;
  #head: ResponseHead | undefined;
  #leftBytes = 0;
  #chunked: ChunkedBody | undefined;
  /** Most heads of a busy node repeat: the text of the last one, and what was read of it. */
  #lastText = '';
  #lastHead: ResponseHead | undefined;

  /** Tells `sink` of the next response. The one before has ended. */
  begin(sink: ResponseSink): void {
    this.#sink = sink;
    this.#head = undefined;
    this.#headBytes = 0;
  }

  /** Takes what came next, and may move it about in `bytes`. @returns the head if the response has ended with it. */
  read(bytes: Buffer): ResponseHead | undefined {
    if (this.#sink === undefined) throw new ResponseFault('bytes that answer nothing');
    const body = this.#head === undefined ? this.#readHead(bytes) : bytes;
    if (this.#head === undefined || body === undefined) return undefined;
    return this.#readBody(this.#head, body, this.#sink);
  }

  /** The node sends no more. @returns whether the response ends with that. */
  end(): boolean {
    if (this.#head?.body.kind !== 'untilEnd' || this.#sink === undefined) return false;
    this.#finish(this.#sink);
    return true;
  }

  /** @returns what follows the head. Interim responses (RFC 9110, section 15.2) are passed over. */
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
