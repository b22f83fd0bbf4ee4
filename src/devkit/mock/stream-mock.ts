import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall } from '@grpc/grpc-js';
import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import { TOPIC_EXAMPLES } from '../../../generated/stream/examples.ts';
import {
  type GetTopicSchemaRequest,
  type GetTopicSchemaResponse,
  type ListTopicsRequest,
  type ListTopicsResponse,
  OutputFormat,
  type StreamServiceServer,
  StreamServiceService,
} from '../../../generated/stream/service.ts';
import { TOPIC_CODECS, type TopicCodec } from '../../../generated/stream/topic-messages.ts';
import { isTopicName, type TopicName } from '../../../generated/stream/topics.ts';
import { assertFormat, getTopicSchema, listTopics, topicUnknown } from '../../server/grpc/describe-topics.ts';
import { toGrpcStatus } from '../../server/grpc/grpc-status.ts';
import { addReflection } from '../../server/grpc/reflection-service.ts';
import { assertListenable } from '../../server/connections/listener.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';

/** A running mock of the stream service. */
export type StreamMock = { readonly port: number; readonly close: () => void };

/** Interval of new slots: that of the embedded ledger. */
const SLOT_MS = CONFIG_INTEGERS['localnet.slot_ms'].default;

/**
 * Streams the example of each topic once per slot, with slots that rise by one, to any client; serves reflection too. Port 0: any free
 * port.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function startStreamMock(host: string, port: number): Promise<StreamMock> {
  await assertListenable({ host, port, portSetting: '--grpc-port' });
  const server = new Server();
  server.addService(StreamServiceService, IMPLEMENTATION);
  addReflection(server);
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, found) => {
      if (error === null) resolve(found);
      else reject(serviceError('listenFailed', { address, reason: error.message }, error));
    });
  });
  return { port: bound, close: () => server.forceShutdown() };
}

const IMPLEMENTATION: StreamServiceServer = {
  listTopics: (_: ServerUnaryCall<ListTopicsRequest, ListTopicsResponse>, done) => done(null, listTopics()),
  getTopicSchema: (
    { request }: ServerUnaryCall<GetTopicSchemaRequest, GetTopicSchemaResponse>,
    done: sendUnaryData<GetTopicSchemaResponse>,
  ) => {
    try {
      done(null, getTopicSchema(request));
    } catch (thrown) {
      done(toGrpcStatus(toServiceError(thrown)));
    }
  },
  subscribe: (call) => {
    const { topic, format } = call.request;
    if (!isTopicName(topic)) return void call.emit('error', toGrpcStatus(topicUnknown(topic)));
    try {
      assertFormat(format);
    } catch (thrown) {
      return void call.emit('error', toGrpcStatus(toServiceError(thrown)));
    }
    let slot = 0n;
    const timer = setInterval(() => {
      slot++;
      // Skips a client that has not read its earlier messages.
      if (!call.writableNeedDrain) call.write({ topic, slot, payload: payloadOf(topic, format, slot) });
    }, SLOT_MS);
    call.once('cancelled', () => clearInterval(timer)).once('close', () => clearInterval(timer));
  },
};

function payloadOf(topic: TopicName, format: OutputFormat, slot: bigint): string {
  const codec = TOPIC_CODECS[topic] as TopicCodec<unknown>;
  const message = { ...(codec.fromJSON(TOPIC_EXAMPLES[topic]) as { readonly slot: bigint }), slot };
  if (format === OutputFormat.JSON) return JSON.stringify(codec.toJSON(message));
  return Buffer.from(codec.encode(message).finish()).toString('base64');
}
