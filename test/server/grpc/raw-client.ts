import { type ClientReadableStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import {
  OutputFormat,
  type SubscribeRequest,
  type SubscribeResponse,
  StreamServiceClient,
} from '../../../generated/stream/service.ts';
import { KEY } from './start-stream-server.ts';

/** A client without any help, on a connection of its own; it is closed when the test ends. */
export function rawClient(port: number): StreamServiceClient {
  const client = new StreamServiceClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Metadata with the test's key, unless told otherwise. */
export function metadataOf(entries: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ 'x-api-key': KEY, ...entries })) {
    if (value !== '') metadata.set(name, value);
  }
  return metadata;
}

/** Subscribes to `slots` as JSON unless told otherwise. */
export function subscribe(
  client: StreamServiceClient,
  request: Partial<SubscribeRequest> = {},
  metadata: Readonly<Record<string, string>> = {},
): ClientReadableStream<SubscribeResponse> {
  const stream = client.subscribe(
    { topic: 'slots', format: OutputFormat.JSON, ...request },
    metadataOf(metadata),
  );
  stream.on('error', () => undefined);
  onTestFinished(() => stream.cancel());
  return stream;
}

/** The end of a call: status, stable name, and the trailing metadata. */
export type Ending = {
  readonly status: string | undefined;
  readonly error: string;
  readonly details: string;
  readonly trailer: Metadata;
};

/** Reads a stream to its end. */
export async function endOf(stream: ClientReadableStream<unknown>): Promise<Ending> {
  const error = await new Promise<ServiceError>((resolve) => {
    stream.on('error', resolve);
    stream.resume();
  });
  return endingOf(error);
}

/** The end of a call by an error of grpc-js. */
export function endingOf({ code, details, metadata }: ServiceError): Ending {
  return { status: status[code], error: text(metadata, 'keyslot-error'), details, trailer: metadata };
}

/** A value of metadata; empty where there is none. */
export function text(metadata: Metadata, name: string): string {
  return String(metadata.get(name)[0] ?? '');
}

/** The next messages of a stream. */
export async function take(
  stream: ClientReadableStream<SubscribeResponse>,
  count: number,
): Promise<SubscribeResponse[]> {
  const taken: SubscribeResponse[] = [];
  for await (const message of stream.iterator({ destroyOnReturn: false })) {
    taken.push(message as SubscribeResponse);
    if (taken.length === count) break;
  }
  return taken;
}
