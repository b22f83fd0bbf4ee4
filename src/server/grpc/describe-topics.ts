import type {
  GetTopicSchemaRequest,
  GetTopicSchemaResponse,
  ListTopicsResponse,
} from '../../../generated/stream/service.ts';
import { TOPIC_SOURCES } from '../../../generated/stream/sources.ts';
import { isTopicName, TOPICS } from '../../../generated/stream/topics.ts';
import { serviceError } from '../../base/service-error.ts';
import { shown } from './admit-call.ts';

/** The answer of ListTopics. */
export function listTopics(): ListTopicsResponse {
  const topics = Object.values(TOPICS).map(({ name, description, messageType }) => ({
    ...{ name, description, protoMessageType: messageType },
  }));
  return { topics };
}

/** The answer of GetTopicSchema. @throws ServiceError `topicUnknown`. */
export function getTopicSchema({ topic }: GetTopicSchemaRequest): GetTopicSchemaResponse {
  if (!isTopicName(topic)) throw topicUnknown(topic);
  return { protoSchema: TOPIC_SOURCES[topic], messageType: TOPICS[topic].messageType };
}

/** What answers a topic that there is none of. */
export function topicUnknown(topic: string) {
  return serviceError('topicUnknown', { topic: shown(topic), known: Object.keys(TOPICS).join(', ') });
}
