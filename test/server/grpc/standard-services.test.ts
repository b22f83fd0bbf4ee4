import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { expect, it } from 'vitest';
import { TOPICS } from '../../../generated/stream/topics.ts';
import { createScriptedLedger } from '../../stream/scripted-ledger.ts';
import { ask, clientOf, HEALTH, REFLECTION, reflect, standard } from './standard-client.ts';
import { KEY, startStreamServer } from './start-stream-server.ts';

const SERVICE = 'keyslot.stream.v1.StreamService';

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
  expect(topics.map(({ name }) => name)).toEqual(Object.keys(TOPICS));
  for (const { proto_message_type: type } of topics) {
    const found = await reflect(reflection, { fileContainingSymbol: type });
    expect([type, found.errorResponse]).toEqual([type, undefined]);
  }
});
