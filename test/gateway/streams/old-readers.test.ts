import { readFileSync } from 'node:fs';
import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  GetTopicSchemaRequest,
  GetTopicSchemaResponse,
  ListTopicsResponse,
  OutputFormat,
  SubscribeRequest,
} from '../../../generated/stream/service.ts';
import { type TopicName, TOPICS } from '../../../generated/stream/topics.ts';
import type { AccountView } from '../../../src/gateway/streams/account-view.ts';
import { Entry } from '../../../src/gateway/streams/entry.ts';
import { wireOf } from '../../core/wire/kit-transactions.ts';
import { aBlock, address, blockJsonOf } from './a-block.ts';

// A client that knows only the published messages reads, by their descriptors, what the server sends today.

const PUBLISHED = new URL('../../../spec/stream/published.yaml', import.meta.url);
const IGNORE_UNKNOWN = { ignoreUnknownFields: true };
const registry = createFileRegistry(
  fromJson(FileDescriptorSetSchema, parse(readFileSync(PUBLISHED, 'utf8')), IGNORE_UNKNOWN),
);
const published = (messageType: string): DescMessage => {
  const schema = registry.getMessage(messageType);
  if (schema === undefined) throw new Error(`${messageType} is not published`);
  return schema;
};
const service = (message: string): DescMessage => published(`keyslot.stream.v1.${message}`);

/** The topics that are published. */
const TOPIC_NAMES = (Object.keys(TOPICS) as readonly TopicName[]).filter(
  (topic) => registry.getMessage(TOPICS[topic].messageType) !== undefined,
);
const VIEW: AccountView = {
  accountId: 'a1',
  walletsAmong: async (addresses) =>
    addresses.filter((each) => each === address(2)).map((each) => ({ walletId: 'w_2', address: each })),
};

/** The payloads of today's server for a block with legacy transactions, and for one with a transaction of each version. */
const payloads = async (topic: TopicName, format: OutputFormat): Promise<readonly string[]> => {
  const wires = (['legacy', 0, 1] as const).map((version) =>
    wireOf({ version, signers: 1, config: { priorityFee: 7n, heapSize: 65_536 }, instructions: [] }),
  );
  const texts = (await Promise.all(wires)).map((wire) => Buffer.from(wire).toString('base64'));
  const blocks = [aBlock(), aBlock(blockJsonOf(texts))];
  const messages = await Promise.all(
    blocks.map((block) => new Entry(block).messages({ topic, format, view: VIEW })),
  );
  return messages.flat().map((message) => {
    const read = toJson(service('SubscribeResponse'), fromBinary(service('SubscribeResponse'), message));
    expect(read).toEqual({ topic, slot: '348', payload: expect.any(String) });
    return (read as { readonly payload: string }).payload;
  });
};

describe.each(TOPIC_NAMES)('%s', (topic) => {
  const schema = published(TOPICS[topic].messageType);
  const asProto = async () =>
    (await payloads(topic, OutputFormat.PROTO)).map((payload) =>
      toJson(schema, fromBinary(schema, Buffer.from(payload, 'base64'))),
    );
  const asJson = async () => (await payloads(topic, OutputFormat.JSON)).map((payload) => JSON.parse(payload));

  it('has every published field, in both forms', async () => {
    const fields = schema.fields.map(({ jsonName }) => jsonName).sort();
    const seen = async (messages: Promise<readonly unknown[]>) =>
      new Set((await messages).flatMap((message) => Object.keys(message as object)));
    expect([...(await seen(asProto()))].sort()).toEqual(fields);
    expect([...(await seen(asJson()))]).toEqual(expect.arrayContaining(fields));
  });

  it('is read by an old reader with the values that are sent today', async () => {
    const [proto, json] = [await asProto(), await asJson()];
    expect(json).toHaveLength(proto.length);
    expect(json).toMatchObject(proto);
    expect(json.map((message) => toJson(schema, fromJson(schema, message, IGNORE_UNKNOWN)))).toEqual(proto);
  });
});

describe('the calls', () => {
  it('an old client asks for what it asked for', () => {
    const request = { topic: 'slots', format: 'JSON' };
    const bytes = toBinary(service('SubscribeRequest'), fromJson(service('SubscribeRequest'), request));
    expect(SubscribeRequest.decode(bytes)).toEqual({ topic: 'slots', format: OutputFormat.JSON });
    const schemaRequest = fromJson(service('GetTopicSchemaRequest'), { topic: 'slots' });
    expect(GetTopicSchemaRequest.decode(toBinary(service('GetTopicSchemaRequest'), schemaRequest))).toEqual({
      topic: 'slots',
    });
  });

  it('an old client reads the lists of topics and the schemas', () => {
    const topics = [
      { name: 'slots', description: 'Every slot.', protoMessageType: 'keyslot.stream.v1.Slot' },
    ];
    const list = ListTopicsResponse.encode({ topics }).finish();
    expect(toJson(service('ListTopicsResponse'), fromBinary(service('ListTopicsResponse'), list))).toEqual({
      topics,
    });
    const answer = { protoSchema: 'syntax = "proto3";', messageType: 'keyslot.stream.v1.Slot' };
    const bytes = GetTopicSchemaResponse.encode(answer).finish();
    expect(
      toJson(service('GetTopicSchemaResponse'), fromBinary(service('GetTopicSchemaResponse'), bytes)),
    ).toEqual(answer);
  });
});
