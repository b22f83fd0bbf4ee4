import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ErrorName } from '../../generated/errors.ts';
import { ServiceError, serviceError } from '../service-error.ts';
import { toUpstreamError } from './upstream-error.ts';

/** Replies up to this size are collected whole, so that they can be looked at before the client sees a status. */
export const WHOLE_REPLY_BYTES = 64 * 1024;

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** What a node says of the call by its status. Any other status but 200 says nothing that a client can act on. */
const STATUS_ERRORS: ReadonlyMap<number, ErrorName> = new Map([
  [413, 'callTooLarge'],
  [429, 'upstreamBusy'],
]);

/** A reply that a node sent with status 200 as JSON; nothing but its first byte after white space has been looked at. */
export type CollectedReply =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'stream'; readonly body: Readable; readonly sizeBytes: number | undefined };

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/**
 * Takes one response from undici, settles with the whole body or, above 64 KiB, with a stream that pauses the socket
 * while nobody reads. Status, headers and addresses of the node end here.
 */
export class ReplyCollector implements Dispatcher.DispatchHandler {
  readonly reply: Promise<CollectedReply>;
  #resolve: (reply: CollectedReply) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #abortReason: Error | undefined;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #firstByte: number | undefined;
  #announcedBytes: number | undefined;
  #stream: Readable | undefined;
  readonly #timeoutMs: number;
  readonly #open: number;

  /** A call is answered with an object, a batch with an array. */
  constructor(timeoutMs: number, isBatch: boolean) {
    this.#timeoutMs = timeoutMs;
    this.#open = isBatch ? OPEN_BRACKET : OPEN_BRACE;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Gives the call up: closes its connection, or keeps it from being sent at all. */
  abort(reason: Error): void {
    this.#abortReason = reason;
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    const type = headers['content-type'];
    const isJson = typeof type === 'string' && JSON_TYPE.test(type);
    const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
    if (status !== 200 || !isJson || !isPlain) {
      const refusal = STATUS_ERRORS.get(status);
      const reason = new Error(`status ${status}, content type ${String(type)}`);
      this.abort(new ServiceError(refusal ?? 'upstreamBroken', {}, reason));
      return;
    }
    const length = headers['content-length'];
    this.#announcedBytes = typeof length === 'string' ? Number(length) : undefined;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream !== undefined) {
      if (!this.#stream.push(chunk)) controller.pause();
      return;
    }
    this.#firstByte ??= chunk.find((byte) => !WHITE_SPACE.has(byte));
    if (this.#firstByte !== undefined && this.#firstByte !== this.#open) {
      this.abort(broken('the body is not what the call is answered with'));
      return;
    }
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes <= WHOLE_REPLY_BYTES) return;
    if (this.#firstByte === undefined) this.abort(broken('the body is not what the call is answered with'));
    else this.#startStream(controller);
  }

  onResponseEnd(): void {
    if (this.#stream !== undefined) {
      this.#stream.push(null);
      return;
    }
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ kind: 'whole', body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason =
      this.#abortReason ?? toUpstreamError(error, this.#controller !== undefined, this.#timeoutMs);
    if (this.#stream === undefined) this.#reject(reason);
    else this.#stream.destroy(reason);
  }

  #startStream(controller: Dispatcher.DispatchController): void {
    const stream = new Readable({
      highWaterMark: 2 * WHOLE_REPLY_BYTES,
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (!stream.readableEnded) controller.abort(error ?? broken('the reply was given up'));
        done(error);
      },
    });
    this.#stream = stream;
    for (const chunk of this.#chunks) stream.push(chunk);
    this.#chunks = [];
    this.#resolve({ kind: 'stream', body: stream, sizeBytes: this.#announcedBytes });
  }
}

function broken(reason: string): ServiceError {
  return serviceError('upstreamBroken', {}, new Error(reason));
}
