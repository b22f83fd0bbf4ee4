import { type ClientReadableStream, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { FIRST_PAUSE_MS, MAX_PAUSE_MS, type StreamClientOptions } from './stream-connection.ts';

export type SubscribeOptions = {
  /** Continue after this slot; default: begin with the next one. */
  readonly resumeSlot?: bigint;
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal;
  /** Called for each loss of the stream that a reconnect repairs. */
  readonly onReconnect?: (lost: StreamCallError) => void;
};

/** A refused call, or a stream that cannot be continued. Contains neither key nor token. */
export class StreamCallError extends Error {
  override readonly name = 'StreamCallError';
  /** The gRPC status, such as `OUT_OF_RANGE`. */
  readonly status: string;
  /** The stable name of the server's error; undefined if the server gave none. */
  readonly error: string | undefined;
  /** The oldest slot after which the server can continue; for OUT_OF_RANGE. */
  readonly oldestSlot: bigint | undefined;

  constructor({ code, details, metadata }: ServiceError) {
    super(details);
    this.status = status[code] ?? 'UNKNOWN';
    this.error = textOf(metadata, 'keyslot-error');
    const oldest = textOf(metadata, 'x-oldest-slot');
    this.oldestSlot = oldest === undefined ? undefined : BigInt(oldest);
  }
}

/** One message as the server sends it. */
type Response = { readonly slot: bigint; readonly payload: string };

/** Opens one stream with metadata. */
export type OpenStream = (metadata: Metadata) => ClientReadableStream<Response>;

/** Maximum attempts for a stream whose connection fails before it was open. */
const MAX_OPENINGS = 3;
/** Statuses after which an opened stream is retried: the server is away, broke off, or dropped a slow reader. */
const RETRYABLE: ReadonlySet<number> = new Set([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED]);
const RETRYABLE_ERRORS: ReadonlySet<string | undefined> = new Set([
  ...['streamTooSlow', 'rateLimited', 'apiKeyRateLimited'],
  // The lost stream may still count against the limit.
  'tooManyStreams',
]);

/** The position of a stream: complete up to `after`, and `seen` messages of the next slot. */
type Position = { after: bigint | undefined; partial: bigint | undefined; seen: number };

/**
 * The payloads of a topic, decoded, in order. A lost stream is reopened at its position: nothing is missing, and nothing comes twice. Only
 * messages that were read count: grpc-js drops those that it has not delivered when a stream ends with an error, so the position in the
 * trailing metadata, up to which the server has sent, is not reliable.
 *
 * @throws StreamCallError for permanent failures: a refusal, or a position that the server no longer has.
 */
export async function* readStream<M>(
  open: OpenStream,
  client: StreamClientOptions,
  decode: (bytes: Uint8Array) => M,
  { resumeSlot, signal, onReconnect }: SubscribeOptions,
): AsyncGenerator<M, void, undefined> {
  const position: Position = { after: resumeSlot, partial: undefined, seen: 0 };
  const maxPauseMs = client.maxPauseMs ?? MAX_PAUSE_MS;
  let isOpened = false;
  let openings = 0;
  let pauseMs = FIRST_PAUSE_MS;
  const isAborted = (): boolean => signal?.aborted === true;
  while (!isAborted()) {
    openings++;
    const stream = open(metadataOf(client, position.after));
    const cancel = (): void => stream.cancel();
    // A cancelled stream ends with an error after its reader has left.
    stream.on('error', () => undefined);
    signal?.addEventListener('abort', cancel);
    stream.once('metadata', (head: Metadata) => {
      isOpened = true;
      position.after ??= slotOf(head);
    });
    try {
      let skip = position.seen;
      for await (const { slot, payload } of stream as AsyncIterable<Response>) {
        pauseMs = FIRST_PAUSE_MS;
        if (slot !== position.partial) {
          Object.assign(position, { after: slot - 1n, partial: slot, seen: 0 });
          skip = 0;
        }
        if (skip > 0) skip--;
        else {
          position.seen++;
          yield decode(Buffer.from(payload, 'base64'));
        }
      }
      return;
    } catch (thrown) {
      if (isAborted()) return;
      if (!isServiceError(thrown)) throw thrown;
      const lost = new StreamCallError(thrown);
      const isRetryable = RETRYABLE.has(thrown.code) || RETRYABLE_ERRORS.has(lost.error);
      if (!(isOpened ? isRetryable : openings < MAX_OPENINGS && isCutConnection(thrown, lost))) throw lost;
      onReconnect?.(lost);
    } finally {
      signal?.removeEventListener('abort', cancel);
      stream.cancel();
    }
    await pause(pauseMs * (0.5 + Math.random() / 2), signal);
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
}

/** The metadata of a call. */
export const metadataOf = (
  { apiKey, token, network, session }: StreamClientOptions,
  resumeSlot?: bigint,
): Metadata => {
  const metadata = new Metadata();
  metadata.set('x-api-key', apiKey);
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  if (network !== undefined) metadata.set('x-network', network);
  if (session !== undefined) metadata.set('keyslot-session', session);
  if (resumeSlot !== undefined) metadata.set('x-resume-slot', String(resumeSlot));
  return metadata;
};

/** The answer of a unary call, or its refusal as StreamCallError. */
export const answerOf = <A>(
  call: (done: (error: ServiceError | null, answer: A) => void) => unknown,
): Promise<A> =>
  new Promise((resolve, reject) => {
    call((error, answer) => (error === null ? resolve(answer) : reject(new StreamCallError(error))));
  });

const isServiceError = (thrown: unknown): thrown is ServiceError =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'number' && 'metadata' in thrown;

/** The connection failed without a refusal: Node ends one that left too many streams in a short time. */
const isCutConnection = ({ code }: ServiceError, { error }: StreamCallError): boolean =>
  (code === status.INTERNAL || code === status.UNAVAILABLE) && error === undefined;

const slotOf = (metadata: Metadata): bigint | undefined => {
  const text = textOf(metadata, 'x-resume-slot');
  return text === undefined ? undefined : BigInt(text);
};

const textOf = (metadata: Metadata, name: string): string | undefined => {
  const [value] = metadata.get(name);
  return value === undefined ? undefined : String(value);
};

const pause = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    signal?.addEventListener('abort', done);
  });
