import {
  type GetTopicSchemaRequest,
  type GetTopicSchemaResponse,
  type ListTopicsResponse,
  OutputFormat,
} from '../../../generated/stream/service.ts';
import { TOPIC_SOURCES } from '../../../generated/stream/sources.ts';
import { isTopicName, TOPICS } from '../../../generated/stream/topics.ts';
import { serviceError } from '../../core/service-error.ts';
import { shown } from '../../core/shown.ts';

/** Returns the ListTopics response. */
export function listTopics(): ListTopicsResponse {
  const topics = Object.values(TOPICS).map(({ name, description, messageType }) => ({
    name,
    description,
    protoMessageType: messageType,
  }));
  return { topics };
}

/** Returns the GetTopicSchema response. @throws ServiceError `topicUnknown`. */
export function getTopicSchema({ topic }: GetTopicSchemaRequest): GetTopicSchemaResponse {
  if (!isTopicName(topic)) throw topicUnknown(topic);
  return { protoSchema: TOPIC_SOURCES[topic], messageType: TOPICS[topic].messageType };
}

/** Returns the error for a topic that does not exist. */
export function topicUnknown(topic: string) {
  return serviceError('topicUnknown', { topic: shown(topic), known: Object.keys(TOPICS).join(', ') });
}

/** Checks the format of payloads: proto3 takes any number for an enum. @throws ServiceError `streamFormatUnknown`. */
export function assertFormat(format: number): asserts format is OutputFormat {
  if (format !== OutputFormat.PROTO && format !== OutputFormat.JSON)
    throw serviceError('streamFormatUnknown', { value: format });
}
