import type { Files } from '../../area.ts';
import type { StreamModel, Topic } from '../../model/stream/stream.ts';
import { docComment, HEADER, identifier, literal, quote } from '../../text.ts';

/** stream/topics.ts: the facts about each topic. stream/topic-messages.ts: the codec and the type of its messages. */
export const renderTopics = ({ topics }: StreamModel): Files => ({
  'stream/topics.ts': `${HEADER}
/** Every topic by its name. \`scope\`: of the access token that it needs. */
export const TOPICS = {
${topics.map((topic) => `${docComment(topic.description)}${quote(topic.name)}: ${entry(topic)},\n`).join('')}} as const satisfies Readonly<Record<string, TopicEntry>>;

export type TopicEntry = {
  readonly name: string;
  readonly description: string;
  /** The full name of the type of its messages. */
  readonly messageType: string;
  readonly scope?: string;
};

export type TopicName = keyof typeof TOPICS;

/** True if the text is the name of a topic. */
export const isTopicName = (name: string): name is TopicName => Object.hasOwn(TOPICS, name);

/** The entry of a topic of which only the name is known. */
export const topicEntry = (name: TopicName): TopicEntry => TOPICS[name];
`,
  'stream/topic-messages.ts': `${HEADER}${topics.map((topic) => `import { ${topic.message} } from ${quote(`./topics/${topic.name}.ts`)};\n`).join('')}import type { TopicName } from './topics.ts';

${topics.map((topic) => `export type { ${topic.message} } from ${quote(`./topics/${topic.name}.ts`)};\n`).join('')}
/** The message of each topic. */
export type TopicMessages = {
${topics.map((topic) => `readonly ${quote(topic.name)}: ${topic.message};\n`).join('')}};

/** Turns a topic's message into bytes or proto3 JSON, and back. */
export type TopicCodec<M> = {
  readonly encode: (message: M) => { readonly finish: () => Uint8Array };
  readonly decode: (bytes: Uint8Array) => M;
  readonly toJSON: (message: M) => unknown;
  readonly fromJSON: (value: unknown) => M;
};

/** The codec of each topic. */
export const TOPIC_CODECS: { readonly [T in TopicName]: TopicCodec<TopicMessages[T]> } = {
${topics.map((topic) => `${quote(topic.name)}: ${topic.message},\n`).join('')}};
`,
});

const entry = ({ name, description, messageType, scope }: Topic): string =>
  literal({ name, description, messageType, scope });

/** The name of a topic's handler: \`accountUpdates\`. */
export const handlerName = ({ name }: Topic): string => identifier(name);
