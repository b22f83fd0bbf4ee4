import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { TOPICS } from '../../../generated/stream/topics.ts';

/** A call before it is damaged: what a client of gRPC sends as HTTP/2. */
export type GrpcRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: Buffer;
  /** Flag and length ahead of the message are right. */
  readonly isFramed: boolean;
};

const SERVICE = '/keyslot.stream.v1.StreamService';
const PATHS = [
  ...[`${SERVICE}/Subscribe`, `${SERVICE}/ListTopics`, `${SERVICE}/GetTopicSchema`],
  '/grpc.health.v1.Health/Check',
];
const OTHER_PATHS = [
  ...[
    `${SERVICE}/Nope`,
    `${SERVICE}/subscribe`,
    '/',
    '/x',
    '//',
    '/keyslot.stream.v2.StreamService/Subscribe',
  ],
  ...['/grpc.health.v1.Health/Watch', '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'],
];

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(TOPICS)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'Slots', 'slots ', '__proto__', 'constructor', 'x'.repeat(70_000), 'é💥'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
);

/** SubscribeRequest: topic = 1, format = 2; the others have the topic or nothing. */
const message = fc
  .record({ topic: name, format: fc.constantFrom(0, 1, 1, 2, -1, 2 ** 31 - 1), hasFormat: fc.boolean() })
  .map(({ topic, format, hasFormat }) => {
    const writer = new BinaryWriter().uint32(10).string(topic);
    return Buffer.from((hasFormat ? writer.uint32(16).int32(format) : writer).finish());
  });

const seldom = (value: fc.Arbitrary<string>, others: number) =>
  fc.oneof({ weight: others, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const headers = fc
  .record({
    'x-resume-slot': seldom(
      fc.constantFrom('0', '1', '5', '99999999999', '-1', 'x', '', '18446744073709551616', '1e3'),
      4,
    ),
    'x-network': seldom(fc.constantFrom('solana-localnet', 'solana-mainnet', '', 'x'.repeat(500)), 8),
    'x-api-key': seldom(fc.constantFrom('', 'ks_key_x', 'x'.repeat(5_000)), 12),
    authorization: seldom(fc.constantFrom('Bearer x', '', 'Basic x'), 12),
    'grpc-timeout': seldom(fc.constantFrom('1S', '10m', '0n', '-1S', 'x', '99999999H', ''), 6),
    'grpc-encoding': seldom(fc.constantFrom('gzip', 'deflate', 'identity', 'x'), 12),
    'grpc-accept-encoding': seldom(fc.constantFrom('gzip', 'identity', 'x,y', ''), 8),
    'content-type': seldom(
      fc.constantFrom('application/grpc+proto', 'application/grpc+json', 'application/json', 'text/plain'),
      12,
    ),
    'x-any-bin': seldom(fc.constantFrom('AAAA', '!!', ''), 20),
  })
  .map((all) =>
    Object.fromEntries(
      Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
    ),
  );

/** Calls of every method and of none. */
export const grpcRequest: fc.Arbitrary<GrpcRequest> = fc.record({
  path: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...PATHS) },
    { weight: 1, arbitrary: fc.constantFrom(...OTHER_PATHS) },
  ),
  headers,
  message,
  isFramed: fc.oneof(
    { weight: 15, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
});
