import { type OutputFormat, SubscribeResponse } from '../../../generated/stream/service.ts';
import { TOPIC_HANDLERS } from '../../../generated/stream/topic-handlers.ts';
import type { PublicTopic, AccountTopic } from '../../../generated/stream/handlers.ts';
import { TOPIC_CODECS, type TopicCodec } from '../../../generated/stream/topic-messages.ts';
import type { TopicName } from '../../../generated/stream/topics.ts';
import type { AccountView } from './account-view.ts';
import type { Block } from './block/block.ts';

/** A subscriber's topic and form. `view`: for topics of one account. */
export type TopicSelection = {
  readonly topic: TopicName;
  readonly format: OutputFormat;
  readonly view: AccountView | undefined;
};

/** Messages ready to send: each an encoded SubscribeResponse. */
export type EncodedMessages = readonly Uint8Array[];

/** Memory of a parsed block, in multiples of its JSON text. */
const MEMORY_PER_JSON_BYTE = 2;
const JSON_FORMAT: OutputFormat = 1;

/** A block with its messages: each is built and encoded once, for all subscribers. */
export class Entry {
  readonly block: Block;
  readonly #onGrow: (sizeBytes: number) => void;
  readonly #encoded = new Map<string, EncodedMessages>();
  readonly #ofAccounts = new Map<string, Promise<EncodedMessages>>();
  #sizeBytes: number;

  /** `onGrow` is called with the bytes by which its size grows later. */
  constructor(block: Block, onGrow: (sizeBytes: number) => void = () => undefined) {
    this.block = block;
    this.#onGrow = onGrow;
    this.#sizeBytes = block.sizeBytes * MEMORY_PER_JSON_BYTE;
  }

  get slot(): bigint {
    return this.block.slot;
  }

  /** Approximate size in memory, in bytes. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Returns the messages of a topic in order. Throws ServiceError `upstreamBroken` if the block cannot be read, and any error of the view.
   */
  messages(selection: TopicSelection): EncodedMessages | Promise<EncodedMessages> {
    // The registry maps each topic to the handler of its own messages.
    const handler = TOPIC_HANDLERS[selection.topic] as AnyHandler;
    return handler.kind === 'public' ? this.#public(selection, handler) : this.#ofAccount(selection, handler);
  }

  #public({ topic, format }: TopicSelection, handler: PublicTopic<Block, TopicName>): EncodedMessages {
    const key = `${topic} ${format}`;
    const known = this.#encoded.get(key);
    if (known !== undefined) return known;
    const made = this.#encode(topic, format, handler.messagesOf(this.block));
    this.#encoded.set(key, made);
    return made;
  }

  #ofAccount({ topic, format, view }: TopicSelection, handler: AccountTopic<Block, AccountView, TopicName>) {
    if (view === undefined) throw new Error(`${topic} needs an account`);
    const key = `${topic} ${format} ${view.accountId}`;
    const known = this.#ofAccounts.get(key);
    if (known !== undefined) return known;
    const made = handler
      .messagesOf(this.block, view)
      .then((messages) => this.#encode(topic, format, messages));
    this.#ofAccounts.set(key, made);
    made.catch(() => this.#ofAccounts.delete(key));
    return made;
  }

  #encode(topic: TopicName, format: OutputFormat, messages: readonly unknown[]): EncodedMessages {
    const codec = TOPIC_CODECS[topic] as TopicCodec<unknown>;
    const envelope = createEnvelope(topic, this.slot);
    const encoded = messages.map((message) => {
      if (format === JSON_FORMAT) return envelope.text(JSON.stringify(codec.toJSON(message)));
      return envelope.base64(codec.encode(message).finish());
    });
    this.#grow(encoded.reduce((sum, { length }) => sum + length, 0));
    return encoded;
  }

  #grow(sizeBytes: number): void {
    this.#sizeBytes += sizeBytes;
    this.#onGrow(sizeBytes);
  }
}

type AnyHandler = PublicTopic<Block, TopicName> | AccountTopic<Block, AccountView, TopicName>;

/** Builds encoded SubscribeResponse messages that differ only in their payload. */
type Envelope = {
  /** Wraps a payload as it is. */
  readonly text: (payload: string) => Uint8Array;
  /** Wraps the base64 of a payload. */
  readonly base64: (payload: Uint8Array) => Uint8Array;
};

/** Tag of the field payload = 5, a string. */
const PAYLOAD_TAG = (5 << 3) | 2;
const MAX_LENGTH_BYTES = 5;

/**
 * Encodes the part before the payload once: a block has thousands of messages. Produces the same bytes as `SubscribeResponse.encode`, at a
 * third of its cost.
 */
export function createEnvelope(topic: string, slot: bigint): Envelope {
  const head = SubscribeResponse.encode({ topic, slot, payload: '' }).finish();
  const begin = (payloadBytes: number): { readonly message: Buffer; readonly at: number } => {
    const message = Buffer.allocUnsafe(head.length + 1 + MAX_LENGTH_BYTES + payloadBytes);
    message.set(head);
    let at = head.length;
    message[at++] = PAYLOAD_TAG;
    let rest = payloadBytes;
    for (; rest > 0x7f; rest >>>= 7) message[at++] = (rest & 0x7f) | 0x80;
    message[at++] = rest;
    return { message, at };
  };
  return {
    text: (payload) => {
      const { message, at } = begin(Buffer.byteLength(payload));
      return message.subarray(0, at + message.write(payload, at));
    },
    base64: (payload) => {
      const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('base64');
      const { message, at } = begin(text.length);
      return message.subarray(0, at + message.write(text, at, 'latin1'));
    },
  };
}
