import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  type GetTopicSchemaResponse,
  type ListTopicsResponse,
  type SubscribeRequest,
  type SubscribeResponse,
  StreamServiceClient,
} from '../../../../generated/stream/service.ts';
import { targetOf } from '../../../../runtime/stream-connection.ts';

/** A stream service for an outside caller. */
export type StreamTarget = {
  /** `http://host:port`, or `https://host:port` with TLS. */
  readonly grpcUrl: string;
  readonly apiKey: string | undefined;
  readonly token: string | undefined;
};

/** Metadata that is sent in addition to the key; an empty value removes the entry. */
export type Sent = Readonly<Record<string, string>>;

/** The refusal of a call. */
export type Refusal = { readonly status: string; readonly error: string; readonly details: string };

/** An answer, or a refusal. */
export type Answered<A> = { readonly answer: A } | { readonly refusal: Refusal };

/** The plain calls of a service. */
export type StreamCalls = {
  readonly listTopics: (sent?: Sent) => Promise<Answered<ListTopicsResponse>>;
  readonly getTopicSchema: (topic: string, sent?: Sent) => Promise<Answered<GetTopicSchemaResponse>>;
  /** The first messages of a stream, as many as arrive before the deadline. */
  readonly subscribe: (
    request: SubscribeRequest,
    count: number,
    sent?: Sent,
  ) => Promise<Answered<readonly SubscribeResponse[]>>;
  readonly close: () => void;
};

const DEADLINE_MS = 10_000;

/** Connects to a service. @throws TypeError if the address is not http or https. */
export function callStreams({ grpcUrl, apiKey = '', token = '' }: StreamTarget): StreamCalls {
  const { target } = targetOf({ url: grpcUrl, apiKey });
  const channel = grpcUrl.startsWith('https:') ? credentials.createSsl() : credentials.createInsecure();
  const service = new StreamServiceClient(target, channel, { 'grpc.max_receive_message_length': -1 });
  const metadataOf = (sent: Sent = {}): Metadata => {
    const metadata = new Metadata();
    const authorization = token === '' ? '' : `Bearer ${token}`;
    for (const [name, value] of Object.entries({ 'x-api-key': apiKey, authorization, ...sent }))
      if (value !== '') metadata.set(name, value);
    return metadata;
  };
  const unary = <A>(call: (done: (error: ServiceError | null, answer: A) => void) => unknown) =>
    new Promise<Answered<A>>((resolve) => {
      call((error, answer) => resolve(error === null ? { answer } : { refusal: refusalOf(error) }));
    });
  const options = () => ({ deadline: Date.now() + DEADLINE_MS });
  return {
    listTopics: (sent) => unary((done) => service.listTopics({}, metadataOf(sent), options(), done)),
    getTopicSchema: (topic, sent) =>
      unary((done) => service.getTopicSchema({ topic }, metadataOf(sent), options(), done)),
    subscribe: (request, count, sent) =>
      new Promise((resolve) => {
        const messages: SubscribeResponse[] = [];
        const stream = service.subscribe(request, metadataOf(sent), options());
        stream.on('data', (message: SubscribeResponse) => {
          messages.push(message);
          if (messages.length < count) return;
          stream.cancel();
          resolve({ answer: messages });
        });
        stream.on('error', (error: ServiceError) => {
          const isOver = error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED;
          resolve(isOver ? { answer: messages } : { refusal: refusalOf(error) });
        });
        stream.on('end', () => resolve({ answer: messages }));
      }),
    close: () => service.close(),
  };
}

function refusalOf({ code, details, metadata }: ServiceError): Refusal {
  const [error = ''] = metadata.get('keyslot-error').map(String);
  return { status: status[code] ?? String(code), error, details };
}
