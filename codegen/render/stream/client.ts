import type { Files } from '../../area.ts';
import type { StreamModel } from '../../model/stream/stream.ts';
import { HEADER } from '../../text.ts';

/** stream/client.ts: the client; stream/package.ts: the exports of the client package at ./stream. */
export const renderStreamClient = (_: StreamModel): Files => ({
  'stream/client.ts': `${HEADER}import { answerOf, metadataOf, readStream, type SubscribeOptions } from '../../runtime/stream-call.ts';
import { connectStreams, type StreamClientOptions } from '../../runtime/stream-connection.ts';
import {
  type GetTopicSchemaResponse,
  type ListTopicsResponse,
  OutputFormat,
  StreamServiceClient,
  type TopicInfo,
} from './service.ts';
import { TOPIC_CODECS, type TopicMessages } from './topic-messages.ts';
import type { TopicName } from './topics.ts';

/** The client of the stream service. */
export type StreamClient = {
  /**
   * The messages of a topic, from the next slot on or after \`resumeSlot\`. A stream that is lost continues where it was. Leaving the loop
   * ends it.
   */
  readonly subscribe: <T extends TopicName>(
    topic: T,
    options?: SubscribeOptions,
  ) => AsyncGenerator<TopicMessages[T], void, undefined>;
  readonly listTopics: () => Promise<readonly TopicInfo[]>;
  readonly getTopicSchema: (topic: string) => Promise<GetTopicSchemaResponse>;
  /** Closes the connection; streams end. */
  readonly close: () => void;
};

/** Creates a client. It connects with its first call. */
export const createStreamClient = (options: StreamClientOptions): StreamClient => {
  const { service, close } = connectStreams((...server) => new StreamServiceClient(...server), options);
  return {
    subscribe: (topic, subscribeOptions = {}) =>
      readStream(
        (metadata) => service().subscribe({ topic, format: OutputFormat.PROTO }, metadata),
        options,
        TOPIC_CODECS[topic].decode,
        subscribeOptions,
      ),
    listTopics: async () => {
      const answer = await answerOf<ListTopicsResponse>((done) =>
        service().listTopics({}, metadataOf(options), done),
      );
      return answer.topics;
    },
    getTopicSchema: (topic) => answerOf((done) => service().getTopicSchema({ topic }, metadataOf(options), done)),
    close,
  };
};
`,
  'stream/package.ts': `${HEADER}export { createStreamClient, type StreamClient } from './client.ts';
export { StreamCallError, type SubscribeOptions } from '../../runtime/stream-call.ts';
export type { StreamClientOptions } from '../../runtime/stream-connection.ts';
export { isTopicName, type TopicEntry, type TopicName, TOPICS } from './topics.ts';
export * from './topic-messages.ts';
`,
});
