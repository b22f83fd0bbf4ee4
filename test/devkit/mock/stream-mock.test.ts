import { credentials, status } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { TOPIC_EXAMPLES } from '../../../generated/stream/examples.ts';
import { createStreamClient } from '../../../generated/stream/package.ts';
import { StreamServiceClient } from '../../../generated/stream/service.ts';
import { TOPIC_CODECS, type TopicCodec } from '../../../generated/stream/topic-messages.ts';
import { type TopicName, TOPICS } from '../../../generated/stream/topics.ts';
import { startStreamMock } from '../../../src/devkit/mock/stream-mock.ts';
import { REFLECTION, reflect, standard } from '../../server/grpc/standard-client.ts';

const NAMES = Object.keys(TOPICS) as readonly TopicName[];

const startMock = async () => {
  const mock = await startStreamMock('127.0.0.1', 0);
  onTestFinished(() => mock.close());
  return mock;
};

const start = async () => {
  const mock = await startMock();
  const client = createStreamClient({ url: `http://127.0.0.1:${mock.port}`, apiKey: 'any' });
  onTestFinished(() => client.close());
  return client;
};

it.each(NAMES)('streams the example of %s, with rising slots', async (topic) => {
  const client = await start();
  const slots: bigint[] = [];
  const codec = TOPIC_CODECS[topic] as TopicCodec<unknown>;
  for await (const message of client.subscribe(topic)) {
    slots.push(message.slot);
    const example = TOPIC_EXAMPLES[topic] as Readonly<Record<string, unknown>>;
    expect(codec.toJSON(message)).toEqual({ ...example, slot: String(message.slot) });
    if (slots.length === 2) break;
  }
  expect(slots).toEqual([1n, 2n]);
});

it('lists the topics, gives their schemas, and refuses what is none', async () => {
  const client = await start();
  expect((await client.listTopics()).map(({ name }) => name)).toEqual(NAMES);
  expect(await client.getTopicSchema('slots')).toMatchObject({ messageType: 'keyslot.stream.v1.Slot' });
  await expect(client.getTopicSchema('slot')).rejects.toMatchObject({
    status: 'NOT_FOUND',
    error: 'topicUnknown',
  });
});

it('refuses a format that does not exist', async () => {
  const { port } = await startMock();
  const client = new StreamServiceClient(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  const stream = client.subscribe({ topic: 'slots', format: 7 as never });
  const refusal = await new Promise((resolve) => stream.on('error', resolve).on('data', resolve));
  expect(refusal).toMatchObject({ code: status.INVALID_ARGUMENT });
});

it('is found and described by reflection, as the server is', async () => {
  const { port } = await startMock();
  const reflection = standard(REFLECTION, 'grpc.reflection.v1.ServerReflection', port);
  const service = 'keyslot.stream.v1.StreamService';
  expect(await reflect(reflection, { listServices: '' })).toMatchObject({
    listServicesResponse: { service: [{ name: service }] },
  });
  const described = await reflect(reflection, { fileContainingSymbol: service });
  expect(described.errorResponse).toBeUndefined();
});
