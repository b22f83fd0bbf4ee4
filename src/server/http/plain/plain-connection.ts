import type { Socket } from 'node:net';
import type { RequestTracker } from '../request-tracker.ts';
import { readPlainHead, PlainRequest, type RepeatedHead } from './plain-request.ts';
import { PlainResponse } from './plain-response.ts';

/** Answers a plain request. Like `HttpHandler`, it never rejects. */
export type PlainHandler = (request: PlainRequest, response: PlainResponse) => Promise<void>;

export type PlainConnectionOptions = {
  /** True if requests for a target are answered here; all others go to node:http. */
  readonly serves: (target: string) => boolean;
  readonly handle: PlainHandler;
  /** Hands the connection over for good, with the last bytes received on it. */
  readonly handOver: (socket: Socket, chunk: Buffer) => void;
  readonly tracker: Pick<RequestTracker, 'isDraining' | 'enter' | 'leave'>;
  readonly maxHeadBytes: number;
  readonly keepAliveMs: number;
  /** Milliseconds that it may be silent in both directions while a request is answered. */
  readonly idleTimeoutMs: number;
  /** The connection has closed, or was handed over. */
  readonly onGone: () => void;
};

const HEAD_END = '\r\n\r\n';

/**
 * One connection, as long as its requests are plain: each a POST that arrived whole in one read, after the answer to the one
 * before. With the first other request the connection goes to node:http, which sees that request from its first byte.
 */
export class PlainConnection {
  readonly socket: Socket;
  readonly #options: PlainConnectionOptions;
  readonly #take = (chunk: Buffer): void => this.#onChunk(chunk);
  readonly #fail = (): void => void this.socket.destroy();
  /** If the client closes its side, the answers already written are sent and the socket closes, as in node:http. */
  readonly #end = (): void => void this.socket.end();
  readonly #close = (): void => this.#onClose();
  #response: PlainResponse | undefined;
  /** Bytes received during an answer. */
  #waiting: Buffer | undefined;
  /** A busy client repeats its head: the text of the last one, and its parsed form. */
  #lastText = '';
  #lastHead: RepeatedHead | undefined;
  /** True once a request has been answered. */
  hasServed = false;

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.socket = socket;
    this.#options = options;
    socket.on('data', this.#take).on('end', this.#end).on('close', this.#close);
    socket.on('error', this.#fail).on('timeout', this.#fail);
  }

  /** True while an answer is in progress. */
  get isBusy(): boolean {
    return this.#response !== undefined;
  }

  /** True if a caller without a key does not take the answer. */
  get isUntaken(): boolean {
    return this.#response?.isUntaken === true;
  }

  /** Forgets earlier requests, which contain the key. */
  forget(): void {
    this.#lastText = '';
    this.#lastHead = undefined;
  }

  /** After the last answer nothing more is read (RFC 9112, section 9.6). */
  #onChunk(chunk: Buffer): void {
    if (!this.socket.writable) return;
    if (this.#response !== undefined) {
      this.#waiting = chunk;
      this.socket.pause();
      return;
    }
    const request = this.#read(chunk);
    if (request === undefined) this.#handOver(chunk);
    else this.#answer(request);
  }

  #read(chunk: Buffer): PlainRequest | undefined {
    const end = chunk.indexOf(HEAD_END);
    if (end < 0 || end > this.#options.maxHeadBytes) return undefined;
    const head = this.#readHead(chunk.toString('latin1', 0, end));
    const bodyAt = end + HEAD_END.length;
    if (head === undefined || chunk.length !== bodyAt + head.bodyBytes) return undefined;
    return new PlainRequest(head, chunk.subarray(bodyAt), this.socket);
  }

  #readHead(text: string): RepeatedHead | undefined {
    if (text === this.#lastText) return this.#lastHead;
    const head = readPlainHead(text);
    if (head === undefined || !this.#options.serves(head.url)) return undefined;
    this.#lastText = text;
    this.#lastHead = { ...head, keyMemo: {} };
    return this.#lastHead;
  }

  #answer(request: PlainRequest): void {
    const { socket } = this;
    const { handle, tracker, keepAliveMs, idleTimeoutMs } = this.#options;
    let endsHere = false;
    const response = new PlainResponse({
      socket,
      keepAliveMs,
      idleTimeoutMs,
      isLast: () => (endsHere = tracker.isDraining),
      onClose: () => this.#onAnswered(endsHere),
    });
    this.#response = response;
    tracker.enter();
    void handle(request, response);
  }

  #onAnswered(endsHere: boolean): void {
    this.#response = undefined;
    this.hasServed = true;
    this.#options.tracker.leave();
    if (endsHere) this.socket.end();
    if (this.#waiting !== undefined) setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    const chunk = this.#waiting;
    this.#waiting = undefined;
    if (chunk === undefined || this.socket.destroyed) return;
    this.socket.resume();
    this.#onChunk(chunk);
  }

  #handOver(chunk: Buffer): void {
    const { socket } = this;
    socket.off('data', this.#take).off('end', this.#end).off('close', this.#close);
    socket.off('error', this.#fail).off('timeout', this.#fail);
    this.#options.onGone();
    this.#options.handOver(socket, chunk);
  }

  #onClose(): void {
    this.#response?.close();
    this.#options.onGone();
  }
}
