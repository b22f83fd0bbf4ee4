import { beforeAll, describe, expect, it } from 'vitest';
import { OutputFormat, SubscribeResponse } from '../../../generated/stream/service.ts';
import { TOPIC_CODECS } from '../../../generated/stream/topic-messages.ts';
import { Entry } from '../../../src/gateway/streams/entry.ts';
import { readByKit, type TransactionPlan, wireOf } from '../../core/wire/kit-transactions.ts';
import { aBlock, blockJsonOf } from './a-block.ts';

type Config = TransactionPlan['config'];
type Topic = 'transactions' | 'blocks';

const ALL: Config = {
  priorityFee: 2n ** 64n - 1n,
  computeUnitLimit: 1_400_000,
  loadedAccountsDataSizeLimit: 65_536,
  heapSize: 262_144,
};
const ZEROS: Config = { priorityFee: 0n, computeUnitLimit: 0 };

const planned: readonly (readonly [what: string, version: TransactionPlan['version'], config: Config])[] = [
  ['a legacy transaction has neither', 'legacy', {}],
  ['a transaction of version 0 has its version, 0', 0, {}],
  ['of version 1, all that is set is there, exactly', 1, ALL],
  ['of version 1, a value that is set to 0 is there', 1, ZEROS],
  ['of version 1, an empty config is there', 1, {}],
  ['of version 1, only what is set is there', 1, { heapSize: 32_768 }],
];

let wires: readonly Uint8Array[];
let entry: Entry;

beforeAll(async () => {
  const plan = { signers: 1, instructions: [] };
  wires = await Promise.all(planned.map(([, version, config]) => wireOf({ ...plan, version, config })));
  entry = new Entry(aBlock(blockJsonOf(wires.map((wire) => Buffer.from(wire).toString('base64')))));
});

const payloads = async (topic: Topic, format: OutputFormat): Promise<readonly string[]> =>
  (await entry.messages({ topic, format, view: undefined })).map(
    (message) => SubscribeResponse.decode(message).payload,
  );

/** The messages of a topic as their reader decodes them. */
const decoded = async <T extends Topic>(topic: T) =>
  (await payloads(topic, OutputFormat.PROTO)).map((payload) =>
    TOPIC_CODECS[topic].decode(Buffer.from(payload, 'base64')),
  );

/** The JSON payloads of a topic, parsed. */
const parsed = async (topic: Topic) =>
  (await payloads(topic, OutputFormat.JSON)).map((payload) => JSON.parse(payload));

const formatOf = (version: TransactionPlan['version'], config: Config) => ({
  ...(version !== 'legacy' && { version }),
  ...(version === 1 && { config }),
});

/** The same in proto3 JSON, where integers of 64 bits are strings. */
const jsonOf = (format: unknown): unknown =>
  JSON.parse(JSON.stringify(format, (_, value) => (typeof value === 'bigint' ? String(value) : value)));

describe.each(
  planned.map(([what, version, config], index) => [what, index, formatOf(version, config)] as const),
)('%s', (_, index, expected) => {
  it('in its message of transactions', async () => {
    const { version, config } = (await decoded('transactions'))[index] ?? {};
    expect({ version, config }).toEqual(expected);
    const { version: jsonVersion, config: jsonConfig } = (await parsed('transactions'))[index];
    expect(jsonOf({ version: jsonVersion, config: jsonConfig })).toStrictEqual(jsonOf(expected));
  });

  it('in the formats of blocks, at the place of its signature', async () => {
    const [block] = await decoded('blocks');
    const [signature] = readByKit(wires[index] ?? new Uint8Array()).signatures;
    expect(block?.signatures[index]).toBe(signature);
    expect(block?.formats[index]).toEqual(expected);
    const [json] = await parsed('blocks');
    expect(json.formats[index]).toStrictEqual(jsonOf(expected));
  });
});

it('blocks has a format for each signature', async () => {
  const [block] = await decoded('blocks');
  expect(block?.signatures).toHaveLength(planned.length);
  expect(block?.formats).toHaveLength(planned.length);
});
