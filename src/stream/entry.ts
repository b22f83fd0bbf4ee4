import type { OutputFormat } from '../../generated/stream/service.ts';
import { TOPIC_HANDLERS } from '../../generated/stream/topic-handlers.ts';
import type { PublicTopic, AccountTopic } from '../../generated/stream/handlers.ts';
import { TOPIC_CODECS, type TopicCodec } from '../../generated/stream/topic-messages.ts';
import type { TopicName } from '../../generated/stream/topics.ts';
import type { AccountView } from './account-view.ts';
import type { Block } from './block/block.ts';
import { createEnvelope } from './envelope.ts';

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
    if (view === undefined) throw new Error(`${topic} is asked for without an account`);
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
