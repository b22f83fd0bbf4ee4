import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TOPIC_EXAMPLES } from '../../../generated/stream/examples.ts';
import { OutputFormat, SubscribeResponse } from '../../../generated/stream/service.ts';
import { TOPIC_SOURCES } from '../../../generated/stream/sources.ts';
import { TOPIC_CODECS, type TopicCodec } from '../../../generated/stream/topic-messages.ts';
import { type TopicName, TOPICS } from '../../../generated/stream/topics.ts';
import type { AccountView } from '../../../src/gateway/streams/account-view.ts';
import { Entry } from '../../../src/gateway/streams/entry.ts';
import { aBlock, address, BLOCK_JSON, signature, wireOf } from './a-block.ts';

const NAMES = Object.keys(TOPICS) as readonly TopicName[];
const U64_MAX = 18446744073709551615n;
const VIEW: AccountView = {
  accountId: 'a1',
  walletsAmong: async (addresses) =>
    addresses.filter((each) => each === address(2)).map((each) => ({ walletId: 'w_2', address: each })),
};

const payloads = async (topic: TopicName, format: OutputFormat): Promise<readonly string[]> => {
  const messages = await new Entry(aBlock()).messages({ topic, format, view: VIEW });
  return messages.map((message) => {
    const { payload, ...head } = SubscribeResponse.decode(message);
    expect(head).toEqual({ topic, slot: 348n });
    return payload;
  });
};

const messagesOf = async <T extends TopicName>(topic: T) =>
  (await payloads(topic, OutputFormat.PROTO)).map((payload) =>
    TOPIC_CODECS[topic].decode(Buffer.from(payload, 'base64')),
  );

it('slots: the head of the block', async () => {
  expect(await messagesOf('slots')).toEqual([
    {
      slot: 348n,
      parentSlot: 346n,
      rootSlot: 316n,
      blockhash: address(50),
      blockTime: 1700000000n,
      blockHeight: 340n,
    },
  ]);
});

it('blocks: counts, fees, signatures and rewards, exactly', async () => {
  expect(await messagesOf('blocks')).toMatchObject([
    {
      transactionCount: 2,
      failedTransactionCount: 1,
      totalFee: 10000n,
      signatures: [signature(60), signature(61)],
      rewards: [{ address: address(1), lamports: -18446744073n, postBalance: U64_MAX, type: '' }],
    },
  ]);
});

it('transactions: every one with its accounts, those of lookup tables too', async () => {
  expect(await messagesOf('transactions')).toEqual([
    {
      slot: 348n,
      index: 0,
      signature: signature(60),
      error: undefined,
      fee: 5000n,
      computeUnits: 150n,
      accounts: [1, 2, 3, 4, 5].map(address),
      logs: ['Program log: hi'],
      blockTime: 1700000000n,
      raw: Buffer.from(wireOf(60, [1, 2, 3]), 'base64'),
    },
    {
      slot: 348n,
      index: 1,
      signature: signature(61),
      fee: 5000n,
      computeUnits: undefined,
      error: '{"InstructionError":[0,{"Custom":1}]}',
      accounts: [2, 1, 3].map(address),
      logs: [],
      blockTime: 1700000000n,
      raw: Buffer.from(wireOf(61, [2, 1, 3]), 'base64'),
    },
  ]);
});

it('account-updates: the accounts a transaction could write; of a failed one, its payer', async () => {
  const updates = await messagesOf('account-updates');
  expect(updates.map((update) => [update.transactionIndex, update.address])).toEqual([
    [0, address(1)],
    [0, address(2)],
    [0, address(4)],
    [1, address(2)],
  ]);
  expect(updates[1]).toMatchObject({
    previousLamports: 5n,
    lamports: U64_MAX,
    signature: signature(60),
    tokenBalance: { mint: address(7), owner: address(1), amount: U64_MAX, decimals: 6 },
  });
});

it('wallet-activity: the wallets of the account that asks, and no other', async () => {
  expect(await messagesOf('wallet-activity')).toEqual([
    {
      slot: 348n,
      walletId: 'w_2',
      address: address(2),
      signature: signature(60),
      transactionIndex: 0,
      error: undefined,
      previousLamports: 5n,
      lamports: U64_MAX,
      signed: false,
      blockTime: 1700000000n,
    },
    expect.objectContaining({ transactionIndex: 1, signed: true, error: expect.stringContaining('Custom') }),
  ]);
});

it('a topic of an account is made for each account by itself', async () => {
  const entry = new Entry(aBlock());
  const wish = { topic: 'wallet-activity', format: OutputFormat.JSON } as const;
  const other: AccountView = { accountId: 'a2', walletsAmong: async () => [] };
  expect(await entry.messages({ ...wish, view: VIEW })).toHaveLength(2);
  expect(await entry.messages({ ...wish, view: other })).toHaveLength(0);
});

it.each([
  ['no list of transactions', BLOCK_JSON.replace('"transactions"', '"other"')],
  ['a transaction that is cut off', BLOCK_JSON.replace(wireOf(60, [1, 2, 3]), 'AQ==')],
  ['an amount that is no integer', BLOCK_JSON.replace('"fee": 5000', '"fee": 0.5')],
  ['fewer balances than accounts', BLOCK_JSON.replace('[9000, 7, 1]', '[9000]')],
])('a block with %s is the fault of the node', async (_, json) => {
  const entry = new Entry(aBlock(json));
  const wish = { topic: 'transactions', format: OutputFormat.JSON, view: undefined } as const;
  expect(() => entry.messages(wish)).toThrow(expect.objectContaining({ code: 'upstreamBroken' }));
});

describe('the schema of each topic compiles by itself, and buf reads with it what is sent', () => {
  const BUF = fileURLToPath(new URL('../../../node_modules/@bufbuild/buf/bin/buf', import.meta.url));
  /** Converts a message with buf, which knows nothing of our code. */
  const convert = (topic: TopicName, bytes: Uint8Array): unknown => {
    const folder = mkdtempSync(join(tmpdir(), 'topic-'));
    try {
      writeFileSync(join(folder, 'topic.proto'), TOPIC_SOURCES[topic]);
      const args = [
        BUF,
        'convert',
        'topic.proto',
        '--type',
        TOPICS[topic].messageType,
        '--from',
        '-#format=binpb',
      ];
      return JSON.parse(
        execFileSync(process.execPath, [...args, '--to', '-#format=json'], {
          cwd: folder,
          input: bytes,
        }).toString(),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it.each(NAMES)('%s', async (topic) => {
    const [proto] = await payloads(topic, OutputFormat.PROTO);
    const [json] = await payloads(topic, OutputFormat.JSON);
    const read = convert(topic, Buffer.from(proto ?? '', 'base64'));
    expect(JSON.parse(json ?? '')).toEqual(read);
  });

  it.each(NAMES)('%s has an example that is a message', (topic) => {
    const codec = TOPIC_CODECS[topic] as TopicCodec<unknown>;
    const example = TOPIC_EXAMPLES[topic];
    const bytes = codec.encode(codec.fromJSON(example)).finish();
    expect(convert(topic, bytes)).toEqual(example);
  });
});
