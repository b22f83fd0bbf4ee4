import type { Files } from '../../area.ts';
import type { StreamModel } from '../../model/stream/stream.ts';
import { HEADER, quote } from '../../text.ts';
import { handlerName } from './topics.ts';

/** stream/handlers.ts: the types that make the compiler count the topics. */
export const renderTopicHandlers = (_: StreamModel): Files => ({
  'stream/handlers.ts': `${HEADER}import type { TopicMessages } from './topic-messages.ts';
import type { TopicName } from './topics.ts';

/** The messages that a block gives a topic, in their order: the same block gives the same ones. */
export type PublicTopic<B, T extends TopicName> = {
  readonly kind: 'public';
  readonly messagesOf: (block: B) => readonly TopicMessages[T][];
};

/** The messages that a block gives the topic of one account, whose view of the server is \`V\`. */
export type AccountTopic<B, V, T extends TopicName> = {
  readonly kind: 'account';
  readonly messagesOf: (block: B, view: V) => Promise<readonly TopicMessages[T][]>;
};

/** The type of the handlers that make the messages of every topic. */
export type TopicHandlers<B, V> = {
  readonly [T in TopicName]: PublicTopic<B, T> | AccountTopic<B, V, T>;
};
`,
});

/** stream/topic-handlers.ts: the source files of the topics. */
export const renderTopicRegister = ({ topics }: StreamModel): Files => ({
  'stream/topic-handlers.ts': `${HEADER}import type { AccountView } from '../../src/gateway/streams/account-view.ts';
import type { Block } from '../../src/gateway/streams/block/block.ts';
${topics.map((topic) => `import { ${handlerName(topic)} } from ${quote(`../../src/gateway/streams/topics/${topic.name}.ts`)};\n`).join('')}import type { TopicHandlers } from './handlers.ts';

/** The handlers that make the messages of each topic. */
export const TOPIC_HANDLERS: TopicHandlers<Block, AccountView> = {
${topics.map((topic) => `${quote(topic.name)}: ${handlerName(topic)},\n`).join('')}};
`,
});
