import { expect, it } from 'vitest';
import type { ProtoField } from '../../codegen/model/stream/compile-protos.ts';
import { readStream } from '../../codegen/model/stream/stream.ts';
import { specSources } from './spec.ts';

const { files } = readStream(specSources());
const service = files.find(({ name }) => name.endsWith('stream.proto'));

/** interface.md section 2.2, written down from there. */
const FIELDS = `
SubscribeRequest topic 1 string
SubscribeRequest format 2 OutputFormat
SubscribeResponse topic 1 string
SubscribeResponse slot 2 uint64
SubscribeResponse payload 5 string
ListTopicsResponse topics 1 repeated TopicInfo
TopicInfo name 1 string
TopicInfo description 2 string
TopicInfo proto_message_type 3 string
GetTopicSchemaRequest topic 1 string
GetTopicSchemaResponse proto_schema 1 string
GetTopicSchemaResponse message_type 2 string
`;

const typeOf = ({ type, typeName, label }: ProtoField): string =>
  (label === 'LABEL_REPEATED' ? 'repeated ' : '') +
  (typeName?.split('.').at(-1) ?? type.replace('TYPE_', '').toLowerCase());

it('the messages and field numbers are those of the interface', () => {
  const lines = (service?.messageType ?? []).flatMap(({ name, field = [] }) =>
    field.map((one) => [name, one.name, one.number, typeOf(one)].join(' ')),
  );
  expect(lines).toEqual(FIELDS.trim().split('\n'));
  expect(service?.messageType?.map(({ name }) => name)).toContain('ListTopicsRequest');
});

it('the enum, the service and the package are those of the interface', () => {
  expect(service).toMatchObject({
    package: 'keyslot.stream.v1',
    enumType: [
      {
        name: 'OutputFormat',
        value: [
          { name: 'PROTO', number: 0 },
          { name: 'JSON', number: 1 },
        ],
      },
    ],
    service: [
      {
        name: 'StreamService',
        method: [
          { name: 'Subscribe', serverStreaming: true },
          { name: 'ListTopics', outputType: '.keyslot.stream.v1.ListTopicsResponse' },
          { name: 'GetTopicSchema', outputType: '.keyslot.stream.v1.GetTopicSchemaResponse' },
        ],
      },
    ],
  });
});

it('the numbers 3 and 4 of SubscribeResponse stay free', () => {
  expect(service?.messageType?.find(({ name }) => name === 'SubscribeResponse')).toMatchObject({
    reservedRange: [
      { start: 3, end: 4 },
      { start: 4, end: 5 },
    ],
  });
});
