import { fileURLToPath } from 'node:url';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { type Client, credentials, type GrpcObject, loadPackageDefinition, Metadata } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { expect, it, onTestFinished } from 'vitest';
import { createScriptedLedger } from '../../stream/scripted-ledger.ts';
import { KEY, startStreamServer } from './start-stream-server.ts';

const MODULES = new URL('../../../node_modules/', import.meta.url);
const HEALTH = 'grpc-health-check/proto/health/v1/health.proto';
const REFLECTION = '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto';
const SERVICE = 'keyslot.stream.v1.StreamService';

type Calls = { readonly [method: string]: (...args: unknown[]) => Stream };
type Stream = {
  on: (event: string, listener: (value: unknown) => void) => Stream;
  write: (request: unknown) => void;
  end: () => void;
  cancel: () => void;
};
type ClientType = new (address: string, channel: unknown) => Client & Calls;

/** A client that knows a service from descriptors only; it is closed when the test ends. */
const clientOf = (definition: PackageDefinition, name: string, port: number): Calls => {
  const type = name
    .split('.')
    .reduce<unknown>((node, step) => (node as GrpcObject)[step], loadPackageDefinition(definition));
  const client = new (type as ClientType)(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
};

const standard = (path: string, name: string, port: number): Calls =>
  clientOf(loadSync(fileURLToPath(new URL(path, MODULES)), { enums: String }), name, port);

/** The answer of a unary call. */
const ask = (calls: Calls, method: string, request: unknown, metadata = new Metadata()): Promise<unknown> =>
  new Promise((resolve, reject) => {
    calls[method]?.(request, metadata, (error: Error | null, answer: unknown) =>
      error === null ? resolve(answer) : reject(error),
    );
  });

/** The answer of the reflection service to one request. */
const reflect = (calls: Calls, request: unknown): Promise<Record<string, never>> =>
  new Promise((resolve, reject) => {
    const stream = calls.ServerReflectionInfo?.();
    stream?.on('data', (answer) => resolve(answer as Record<string, never>)).on('error', reject);
    stream?.write(request);
    stream?.end();
  });

const start = async (): Promise<number> =>
  (await startStreamServer({ node: createScriptedLedger(100) })).port;

it.each(['', SERVICE])('health: the service %j serves, without a key', async (service) => {
  const health = standard(HEALTH, 'grpc.health.v1.Health', await start());
  expect(await ask(health, 'Check', { service })).toEqual({ status: 'SERVING' });
});

it('health: a watcher is told when the server stops', async () => {
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
  expect(topics.map(({ name }) => name)).toEqual([
    'account-updates',
    'blocks',
    'slots',
    'transactions',
    'wallet-activity',
  ]);
  for (const { proto_message_type: type } of topics) {
    const found = await reflect(reflection, { fileContainingSymbol: type });
    expect([type, found.errorResponse]).toEqual([type, undefined]);
  }
});
