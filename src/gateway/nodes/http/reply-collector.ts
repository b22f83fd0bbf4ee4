import type { ErrorName } from '../../../../generated/errors.ts';
import { LentStream } from '../../../core/rpc/zero-copy-stream.ts';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import type { Exchange, Flow } from './exchange.ts';
import type { ResponseHead } from './response-head.ts';

/** Replies up to this size are collected whole, so that they can be checked before the client sees a status. */
export const WHOLE_REPLY_BYTES = 64 * 1024;

/** This many chunks are joined into one: each costs about a hundred bytes, however small it is. */
const MAX_CHUNKS = 256;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Errors of a call that a node reports by status. Other statuses except 200 mean nothing that a client can act on. */
const STATUS_ERRORS: ReadonlyMap<number, ErrorName> = new Map([
  [413, 'callTooLarge'],
  [429, 'upstreamBusy'],
]);

/** A reply with status 200 and JSON content type; only its first byte after white space has been checked. */
export type CollectedReply =
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'stream'; readonly body: LentStream; readonly sizeBytes: number | undefined };

/** Counts the replies that are in progress. */
export type ReplyOwner = {
  /** The reply is too large to collect: from now on it lasts as long as its reader takes. */
  readonly onStream: (reply: ReplyCollector) => void;
  /** The reply no longer uses its connection. */
  readonly onOver: (reply: ReplyCollector) => void;
};

/**
 * Collects one response. Settles with the whole body or, when it is (or is announced to be) larger than 64 KiB, with a stream that
 * keeps the connection until it is read. The status, header fields and addresses of the node are not passed on.
 */
export class ReplyCollector implements Exchange {
  readonly body: Buffer;
  /** The account of the call; undefined: the gateway itself. */
  readonly accountId: string | undefined;
  /** True if it goes before other calls when connections are scarce. */
  readonly isUrgent: boolean;
  /** Set while it is started and not over. */
  owner: ReplyOwner | undefined;
  readonly #settled = Promise.withResolvers<CollectedReply>();
  readonly reply = this.#settled.promise;
  /** Set while the response is in progress. */
  #flow: Flow | undefined;
  #isOver = false;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #firstByte: number | undefined;
  #announcedBytes: number | undefined;
  #stream: LentStream | undefined;
  /** Milliseconds on hold, without the present one, and when that began. */
  #heldMs = 0;
  #heldAtMs: number | undefined;
  readonly #open: number;

  /** A call is answered with an object, a batch with an array. */
  constructor(body: Buffer, isBatch: boolean, accountId?: string, isUrgent = accountId === undefined) {
    this.body = body;
    this.accountId = accountId;
    this.isUrgent = isUrgent;
    this.#open = isBatch ? OPEN_BRACKET : OPEN_BRACE;
  }

  /** The milliseconds that its reader has kept it waiting. */
  heldMs(nowMs: number): number {
    return this.#heldMs + (this.#heldAtMs === undefined ? 0 : nowMs - this.#heldAtMs);
  }

  /** Cancels the call, and its connection. */
  abort(reason: Error): void {
    this.#fail(reason);
    this.#endFlow()?.cancel();
  }

  onStart(flow: Flow): void {
    this.#flow = flow;
  }

  onHead({ status, contentType, contentEncoding = 'identity', body }: ResponseHead): void {
    if (
      status !== 200 ||
      contentType === undefined ||
      !JSON_TYPE.test(contentType) ||
      contentEncoding !== 'identity'
    ) {
      const refusal = STATUS_ERRORS.get(status);
      const reason = new Error(`status ${status}, content type ${String(contentType)}`);
      this.#fail(new ServiceError(refusal ?? 'upstreamBroken', {}, reason));
      // A short body is read to its end to keep the connection: rate-limited nodes send many of these.
      if (body.kind !== 'sized' || body.sizeBytes > WHOLE_REPLY_BYTES) this.#endFlow()?.cancel();
      return;
    }
    this.#announcedBytes = body.kind === 'sized' ? body.sizeBytes : undefined;
  }

  onData(data: Buffer): void {
    if (this.#isOver) return;
    if (this.#stream !== undefined) {
      if (!this.#stream.lend(data)) this.#hold();
      return;
    }
    this.#firstByte ??= data.find((byte) => !WHITE_SPACE.has(byte));
    if (this.#firstByte !== undefined && this.#firstByte !== this.#open) {
      this.abort(broken('the body is not what the call is answered with'));
      return;
    }
    this.#sizeBytes += data.length;
    const isBlank = this.#firstByte === undefined;
    const isShort = Math.max(this.#sizeBytes, this.#announcedBytes ?? 0) <= WHOLE_REPLY_BYTES;
    if (isShort || (isBlank && this.#sizeBytes <= WHOLE_REPLY_BYTES)) this.#collect(data);
    else if (isBlank) this.abort(broken('the body is not what the call is answered with'));
    else this.#startStream(data);
  }

  #collect(data: Buffer): void {
    this.#chunks.push(Buffer.from(data));
    if (this.#chunks.length === MAX_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  onEnd(): void {
    this.#endFlow();
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#stream !== undefined) {
      this.#stream.finish();
      return;
    }
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#settled.resolve({ kind: 'whole', body });
  }

  onError(error: ServiceError): void {
    this.#endFlow();
    this.#fail(error);
  }

  #fail(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#stream === undefined) this.#settled.reject(reason);
    else this.#stream.destroy(reason);
  }

  /** Lets go of the connection, which may carry another call from here on. */
  #endFlow(): Flow | undefined {
    const { owner } = this;
    const flow = this.#flow;
    this.owner = undefined;
    this.#flow = undefined;
    owner?.onOver(this);
    return flow;
  }

  #hold(): void {
    this.#heldAtMs = performance.now();
    this.#flow?.hold();
  }

  #resume(): void {
    this.#heldMs = this.heldMs(performance.now());
    this.#heldAtMs = undefined;
    this.#flow?.resume();
  }

  /** Starts the stream with the data collected so far and the current part. */
  #startStream(data: Buffer): void {
    const stream = new LentStream({
      highWaterMark: 2 * WHOLE_REPLY_BYTES,
      onWanted: () => this.#resume(),
      destroy: () => {
        this.#isOver = true;
        this.#endFlow()?.cancel();
      },
    });
    this.#stream = stream;
    this.owner?.onStream(this);
    for (const chunk of [...this.#chunks, data]) stream.lend(chunk);
    this.#hold();
    this.#chunks = [];
    this.#settled.resolve({ kind: 'stream', body: stream, sizeBytes: this.#announcedBytes });
  }
}

function broken(reason: string): ServiceError {
  return serviceError('upstreamBroken', {}, new Error(reason));
}
