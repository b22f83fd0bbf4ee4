import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';
import { METHODS } from '../../../generated/ledger/methods.ts';
import type { SubscribeRequest } from '../../../generated/stream/service.ts';
import { isTopicName, type TopicName } from '../../../generated/stream/topics.ts';
import { callOfTopic } from '../../account/identity/api-keys/key-rules.ts';
import { assertMethodAllowed } from '../access/with-allowed-methods.ts';
import type { Caller } from '../access/authenticate.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import { DisposableStack } from '../../core/disposable-stack.ts';
import type { AccountView } from '../../gateway/streams/account-view.ts';
import type { Cursor } from '../../gateway/streams/cursor.ts';
import type { TopicSelection } from '../../gateway/streams/entry.ts';
import type { Hub } from '../../gateway/streams/hub.ts';
import {
  admitCall,
  type AdmitCallOptions,
  type Admitted,
  type CalledNetwork,
  type MarkedCall,
  noteCall,
} from './admit-call.ts';
import { requestOf, textOf } from './call-request.ts';
import { assertFormat, topicUnknown } from './describe-topics.ts';
import { assertTopicAllowed, type TopicTokenOptions } from './topic-token.ts';

/** A network with its streams. */
export type StreamedNetwork = CalledNetwork & {
  readonly hub: Hub;
  /** Notes the slot of a block of which a caller is sent something. */
  readonly noteSlot?: ((slot: number, caller: Caller) => void) | undefined;
};

export type SubscribeOptions = AdmitCallOptions<StreamedNetwork> &
  TopicTokenOptions &
  StreamLimits & {
    readonly unread: UnreadLimits;
    readonly viewOf: (accountId: string) => AccountView;
    /** Called for messages that were written to the connection. */
    readonly onMessages: (caller: Caller, network: string, topic: TopicName, messages: number) => void;
    readonly onOpen: (network: string, topic: TopicName) => void;
    readonly onClose: (network: string, topic: TopicName) => void;
  };

/** A call as the library hands it over. */
export type UnmarkedCall = ServerWritableStream<SubscribeRequest, Uint8Array>;
export type SubscribeCall = UnmarkedCall & Pick<MarkedCall, 'requestId'>;

/** An open stream. */
export type OpenStream = {
  readonly cursor: Cursor;
  /** Throws the ServiceError that ends the stream if its key or its token no longer allows it. */
  readonly recheck: () => void;
};

/** Maximum number of open streams. */
type StreamLimits = { readonly maxStreamsPerKey: number; readonly maxStreamsPerAccount: number };

/** The open streams, with a count per key and account. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  /** By the id of a key or an account. */
  readonly #counts = new Map<string, number>();

  /** Reserves a stream. @throws ServiceError `tooManyStreams`. @returns a function that releases it, once. */
  reserve({ keyId, accountId }: Caller, limits: StreamLimits): () => void {
    this.#assertRoom('API key', keyId, limits.maxStreamsPerKey);
    this.#assertRoom('account', accountId, limits.maxStreamsPerAccount);
    const ids = [keyId, accountId];
    for (const id of ids) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const id of ids) {
        const left = (this.#counts.get(id) ?? 1) - 1;
        if (left === 0) this.#counts.delete(id);
        else this.#counts.set(id, left);
      }
    };
  }

  #assertRoom(scope: string, id: string, limit: number): void {
    const value = this.#counts.get(id) ?? 0;
    if (value >= limit) throw serviceError('tooManyStreams', { scope, limit, value });
  }

  add(stream: OpenStream): () => void {
    this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  [Symbol.iterator](): IterableIterator<OpenStream> {
    return this.#streams.values();
  }
}

/** The client has disconnected, so no error can be sent. */
export const CLIENT_LEFT = new Error('the client has left');

/** A stream at its start. */
type Opened = {
  readonly caller: Caller;
  readonly network: StreamedNetwork;
  readonly selection: TopicSelection;
  readonly cursor: Cursor;
  readonly recheck: () => void;
};

/**
 * Serves one Subscribe call until the stream ends. Its layers, in order, with the names of the README's picture: `authenticate` and `admit`
 * (`admit-call.ts`), `open` (below), `encode` (`gateway/streams/topics/`, once for all subscribers) and `send` (`StreamWriter`).
 *
 * @param onCursor gets the stream's position as soon as it has one, so that the code that ends the call can report it.
 * @throws ServiceError the reason why the stream ends; `CLIENT_LEFT`.
 */
export async function subscribe(
  options: SubscribeOptions,
  streams: OpenStreams,
  call: SubscribeCall,
  onCursor: (cursor: Cursor) => void,
): Promise<never> {
  const opened = await admitCall(options, call, 'Subscribe', (admitted) =>
    open(options, streams, call, admitted),
  );
  const { caller, network, selection, cursor, recheck } = opened;
  using closing = new DisposableStack();
  closing.defer(() => cursor.close());
  if (call.cancelled) throw CLIENT_LEFT;
  onCursor(cursor);
  closing.defer(options.peers.holdStream(call.getPeer()));
  closing.defer(streams.add({ cursor, recheck }));
  options.onOpen(network.label, selection.topic);
  closing.defer(() => options.onClose(network.label, selection.topic));
  call.sendMetadata(headOf(cursor, call.requestId));
  const startMs = performance.now();
  call.once('cancelled', () => cursor.fail(CLIENT_LEFT));
  const writer = new StreamWriter(call, options.unread);
  cursor.whenFailed((error) => writer.fail(error));
  const onSend = (slot: bigint): void => network.noteSlot?.(Number(slot), caller);
  const onSent = (messages: number): void =>
    options.onMessages(caller, network.label, selection.topic, messages);
  try {
    for (;;) await sendNext(cursor, selection, writer, { onSend, onSent });
  } catch (thrown) {
    noteEnd(options, opened, thrown);
    if (thrown !== CLIENT_LEFT && !call.cancelled)
      noteCall(options.requests, caller, { method: 'Subscribe', startMs, error: thrown });
    throw thrown;
  }
}

/** A stream may be open for days: its end is a span of its own. */
function noteEnd({ tracing }: SubscribeOptions, { network, selection }: Opened, thrown: unknown): void {
  const reason = thrown === CLIENT_LEFT ? {} : { 'error.type': toServiceError(thrown).code };
  const attributes = { 'keyslot.network': network.label, 'keyslot.topic': selection.topic, ...reason };
  void tracing?.request({ name: 'grpc stream ended', attributes }, async () => undefined);
}

async function open(
  options: SubscribeOptions,
  streams: OpenStreams,
  call: SubscribeCall,
  { caller, network }: Admitted<StreamedNetwork>,
): Promise<Opened> {
  const selection = readSelection(options, call, caller);
  const recheck = (): void => {
    options.authenticate(requestOf(call), network.label);
    assertMethodAllowed(options.callRulesOf(caller.keyId), callOfTopic(selection.topic));
    assertTopicAllowed(options, selection.topic, call, caller.accountId);
  };
  recheck();
  const resumeSlot = readResumeSlot(call.metadata);
  const release = streams.reserve(caller, options);
  call.once('close', release).once('cancelled', release);
  if (call.cancelled) {
    release();
    throw CLIENT_LEFT;
  }
  const cursor = await network.hub.open(resumeSlot, () => takeReplayed(network, caller));
  return { caller, network, selection, cursor, recheck };
}

/** A block read again for one stream weighs as much as the call for it. */
const REPLAYED = { method: 'Subscribe.replay', weight: METHODS.getBlock.cost };

async function takeReplayed({ admission, count }: StreamedNetwork, caller: Caller): Promise<void> {
  const { refusal } = await admission.admit(caller, [REPLAYED]);
  if (refusal !== undefined) throw refusal;
  count(caller, REPLAYED, 'ok');
}

/** Sends the messages of the next block. Those that were written are reported even if the stream ends between them. */
async function sendNext(
  cursor: Cursor,
  selection: TopicSelection,
  writer: StreamWriter,
  { onSend, onSent }: { onSend: (slot: bigint) => void; onSent: (messages: number) => void },
): Promise<void> {
  const entry = await cursor.next();
  const messages = await entry.messages(selection);
  let sent = 0;
  if (messages.length > 0) onSend(entry.slot);
  try {
    for (const message of messages) {
      if (!writer.hasRoom) await writer.room();
      writer.write(message);
      sent++;
    }
  } finally {
    if (sent > 0) onSent(sent);
  }
  cursor.done(entry);
}

function readSelection(
  options: SubscribeOptions,
  { request }: SubscribeCall,
  { accountId }: Caller,
): TopicSelection {
  const { topic, format } = request;
  if (!isTopicName(topic)) throw topicUnknown(topic);
  assertFormat(format);
  return { topic, format, view: options.viewOf(accountId) };
}

const LARGEST_SLOT = 2n ** 64n - 1n;

function readResumeSlot(metadata: Metadata): bigint | undefined {
  const text = textOf(metadata, 'x-resume-slot');
  if (text === undefined) return undefined;
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > LARGEST_SLOT) throw serviceError('resumeSlotInvalid');
  return BigInt(text);
}

/** The stream's start position, from which a client that loses the stream before its first message resumes; and the id of the call. */
function headOf({ position }: Cursor, requestId: string): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  metadata.set('x-resume-slot', String(position));
  return metadata;
}

/** The most that may be queued for the client of a stream, plus one message, however large. */
type UnreadLimits = { readonly maxBytes: number; readonly maxMessages: number };

/** The part of a call that sends. */
type Sends = {
  readonly write: (message: Uint8Array, done: (error?: Error | null) => void) => unknown;
};

/** Tracks the bytes that were written to a connection and have not been sent: grpc-js itself counts messages, not their bytes. */
export class StreamWriter {
  readonly #call: Sends;
  readonly #limits: UnreadLimits;
  #bytes = 0;
  #messages = 0;
  #failure: Error | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(call: Sends, limits: UnreadLimits) {
    this.#call = call;
    this.#limits = limits;
  }

  /** Bytes that have not been sent. */
  get unreadBytes(): number {
    return this.#bytes;
  }

  /** True if another message may be written. */
  get hasRoom(): boolean {
    return this.#bytes < this.#limits.maxBytes && this.#messages < this.#limits.maxMessages;
  }

  /** Resolves when there is room again; rejects with the error passed to `fail`. */
  room(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }

  write(message: Uint8Array): void {
    this.#bytes += message.length;
    this.#messages++;
    this.#call.write(message, () => {
      this.#bytes -= message.length;
      this.#messages--;
      if (!this.hasRoom) return;
      this.#waiting?.resolve();
      this.#waiting = undefined;
    });
  }

  /** Stops all writing. */
  fail(error: Error): void {
    this.#failure = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
