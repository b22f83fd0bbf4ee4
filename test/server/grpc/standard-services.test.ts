import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { expect, it, onTestFinished } from 'vitest';
import { DESCRIPTOR_SET } from '../../../generated/stream/descriptors.ts';
import { TOPICS } from '../../../generated/stream/topics.ts';
import { createScriptedLedger } from '../../gateway/streams/scripted-ledger.ts';
import { ask, type Calls, clientOf, HEALTH, REFLECTION, reflect, standard } from './standard-client.ts';
import { KEY, startStreamServer } from './start-stream-server.ts';

const SERVICE = 'keyslot.stream.v1.StreamService';

const start = async (): Promise<number> =>
  (await startStreamServer({ node: createScriptedLedger(100) })).port;

it.each(['', SERVICE])('health: the service %j serves, without a key', async (service) => {
  const health = standard(HEALTH, 'grpc.health.v1.Health', await start());
  expect(await ask(health, 'Check', { service })).toEqual({ status: 'SERVING' });
});

it('health: a watcher is notified when the server stops', async () => {
  const server = await startStreamServer({ node: createScriptedLedger(100) });
  const health = standard(HEALTH, 'grpc.health.v1.Health', server.port);
  const states: unknown[] = [];
  const stopped = Promise.withResolvers<void>();
  const watching = health.Watch?.({ service: SERVICE });
  const first = Promise.withResolvers<void>();
  watching
    ?.on('data', (answer) => {
      states.push((answer as { status?: unknown }).status);
      if (states.length === 1) first.resolve();
      else stopped.resolve();
    })
    .on('error', () => undefined);
  await first.promise;
  const closing = server.close(200);
  await stopped.promise;
  watching?.cancel();
  await closing;
  expect(states).toEqual(['SERVING', 'NOT_SERVING']);
});

it('reflection: a client without any file finds the service and calls it', async () => {
  const port = await start();
  const reflection = standard(REFLECTION, 'grpc.reflection.v1.ServerReflection', port);
  const listed = await reflect(reflection, { listServices: '' });
  expect(listed).toMatchObject({ listServicesResponse: { service: [{ name: SERVICE }] } });
  const described = await reflect(reflection, { fileContainingSymbol: SERVICE });
  const { fileDescriptorProto: files } = described.fileDescriptorResponse as unknown as {
    readonly fileDescriptorProto: readonly Uint8Array[];
  };
  const set = new BinaryWriter();
  for (const file of files) set.uint32(10).bytes(file);
  const stream = clientOf(loadFileDescriptorSetFromBuffer(Buffer.from(set.finish())), SERVICE, port);
  const metadata = new Metadata();
  metadata.set('x-api-key', KEY);
  const { topics } = (await ask(stream, 'ListTopics', {}, metadata)) as {
    readonly topics: readonly { readonly name: string; readonly proto_message_type: string }[];
  };
  expect(topics.map(({ name }) => name)).toEqual(Object.keys(TOPICS));
  for (const { proto_message_type: type } of topics) {
    const found = await reflect(reflection, { fileContainingSymbol: type });
    expect([type, found.errorResponse]).toEqual([type, undefined]);
  }
});

/** A server with the gRPC project's own health and reflection services, for the same services and files. */
const startReference = async (): Promise<number> => {
  const server = new Server();
  new HealthImplementation({ '': 'SERVING', [SERVICE]: 'SERVING' }).addToServer(server);
  const files = loadFileDescriptorSetFromBuffer(Buffer.from(DESCRIPTOR_SET, 'base64'));
  new ReflectionService(files).addToServer(server);
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
};

const MESSAGE = 'keyslot.stream.v1.SubscribeRequest';

const REFLECTIONS = ['v1', 'v1alpha'] as const;

const reflectionOf = (version: (typeof REFLECTIONS)[number], port: number): Calls =>
  standard(
    REFLECTION.replaceAll('/v1/', `/${version}/`),
    `grpc.reflection.${version}.ServerReflection`,
    port,
  );

it.each(REFLECTIONS)('reflection: %s answers as the reference implementation does', async (version) => {
  const [own, reference] = [await start(), await startReference()].map((port) => reflectionOf(version, port));
  const symbols = [SERVICE, `${SERVICE}.Subscribe`, MESSAGE, `${MESSAGE}.topic`];
  const requests = [
    { listServices: '*', host: 'a.example' },
    ...[
      ...symbols,
      'keyslot.stream.v1.OutputFormat',
      'keyslot.stream.v1.Missing',
      'keyslot.stream.v1',
      '',
    ].map((symbol) => ({ fileContainingSymbol: symbol })),
    { fileByFilename: 'missing.proto' },
    { fileContainingExtension: { containingType: MESSAGE, extensionNumber: 7 } },
    { allExtensionNumbersOfType: MESSAGE },
    {},
  ];
  for (const request of requests) {
    const answers = await Promise.all([own, reference].map((each) => reflect(each ?? {}, request)));
    const [{ fileDescriptorResponse, ...others } = {}, expected = {}] = answers;
    expect(expected).toMatchObject(others);
    expect([request, fileDescriptorResponse !== undefined]).toEqual([
      request,
      expected.fileDescriptorResponse !== undefined,
    ]);
  }
});

it.each(REFLECTIONS)('reflection: %s finds each file by its path and by its symbols', async (version) => {
  const reflection = reflectionOf(version, await start());
  const { file: files } = fromBinary(FileDescriptorSetSchema, Buffer.from(DESCRIPTOR_SET, 'base64'));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const [message] = file.messageType;
    const symbol = `${file.package}.${message?.name}`;
    for (const request of [{ fileByFilename: file.name }, { fileContainingSymbol: symbol }]) {
      const { fileDescriptorResponse } = await reflect(reflection, request);
      const { fileDescriptorProto: found = [] } = (fileDescriptorResponse ?? {}) as {
        readonly fileDescriptorProto?: readonly Uint8Array[];
      };
      expect(found.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))).toEqual([file]);
    }
  }
});

it('health: Check, List and Watch answer as the reference implementation does', async () => {
  const answers = async (port: number) => {
    const health = standard(HEALTH, 'grpc.health.v1.Health', port);
    const unknown = ask(health, 'Check', { service: 'missing' }).catch((error: unknown) => error);
    const watching = health.Watch?.({ service: 'missing' });
    const watched = new Promise((resolve) => watching?.on('error', () => undefined).on('data', resolve));
    return {
      checked: await ask(health, 'Check', { service: SERVICE }),
      unknown: await unknown,
      listed: await ask(health, 'List', {}),
      watched: await watched.finally(() => watching?.cancel()),
    };
  };
  const { unknown: refusal, ...own } = await answers(await start());
  const { unknown: expected, ...reference } = await answers(await startReference());
  expect(own).toEqual(reference);
  const { code, details } = expected as { readonly code: number; readonly details: string };
  expect(refusal).toMatchObject({ code, details });
});
