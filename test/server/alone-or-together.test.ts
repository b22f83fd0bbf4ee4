import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UsageBook } from '../../src/server/access/usage-book.ts';
import { type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';
import { rounds } from '../support/tier.ts';

/** The node's way to answer batches: as it should, in another order, or not at all. */
const MANNERS = ['inOrder', 'reversed', 'refused', 'cutOff'] as const;
type Manner = (typeof MANNERS)[number];

let node: ScriptedNode;
let manner: Manner = 'inOrder';

beforeEach(async () => {
  node = await startScriptedNode((response, { body }) => {
    const calls = JSON.parse(body) as unknown;
    if (!Array.isArray(calls)) return sendJson(response, replyTo(calls));
    if (manner === 'refused') return sendJson(response, '{"jsonrpc":"2.0","error":{"code":1},"id":null}');
    if (manner === 'cutOff') return sendJson(response, `[${calls.map(replyTo).join()}`);
    sendJson(response, `[ ${(manner === 'inOrder' ? calls : calls.reverse()).map(replyTo).join(' , ')} ] `);
  });
});

afterEach(() => node.close());

/** The same reply to the same call, an error to every third balance; nothing to a notification. */
function replyTo(call: unknown): string {
  const { id, method, params = [] } = call as { id?: unknown; method: string; params?: unknown[] };
  if (id === undefined) return '';
  const isError = method === 'getBalance' && JSON.stringify(params).length % 3 === 0;
  const outcome = isError
    ? '"error":{"code":-32004,"message":"no"}'
    : `"result":["${method}",${params.length}]`;
  return `{"jsonrpc":"2.0",${outcome},"id":${JSON.stringify(id)}}`;
}

/** A gateway of its own, and what it has counted. */
async function countingGateway() {
  const book = new UsageBook({ hasRoom: () => true, onLost: () => undefined });
  const gateway = await startGateway({
    nodeUrls: [node.url],
    publicUrl: 'https://node.example',
    // Room for a batch of nothing but `rpc.discover`.
    cacheBytes: 1_000_000,
    batchConcurrency: 3,
    maxBufferedBytes: 64 * 1024 * 1024,
    count: (message) => book.count(0, message),
  });
  const rows = () => book.take().toSorted((one, other) => (one.method < other.method ? -1 : 1));
  return { gateway, rows };
}

async function callsTotal({ metrics }: Gateway): Promise<readonly string[]> {
  const text = await metrics.registry.getSingleMetricAsString('keyslot_rpc_calls_total');
  return text.split('\n').sort();
}

const ADDRESSES = ['1'.repeat(32), '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', 'bad'];
const params = fc.constantFrom(
  ...['', ',"params":[]', ',"params":{}'],
  ...ADDRESSES.flatMap((address) => [
    `,"params":["${address}"]`,
    `,"params":["${address}",{"commitment":"processed"}]`,
  ]),
);
const id = fc.oneof(fc.nat(20).map(String), fc.constantFrom('"a"', '"é"', '-7', 'null', '"\\u0041"'));
const method = fc.constantFrom(
  ...['getSlot', 'getBalance', 'getBalance', 'getVersion', 'getGenesisHash', 'getBlockTime'],
  ...['getSupply', 'requestAirdrop', 'nope', 'rpc.discover'],
);
const item = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(id, method, params)
      .map(([each, name, rest]) => `{"jsonrpc":"2.0","id":${each},"method":"${name}"${rest}}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"id":1}', '{"jsonrpc":"2.0","method":"getSlot"}', '{}') },
);

test('a batch is answered and counted as its calls are one by one, however the node takes batches', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 25 }),
      fc.constantFrom(...MANNERS),
      async (items, how) => {
        manner = how;
        const [single, batch] = [await countingGateway(), await countingGateway()];
        try {
          const replies: string[] = [];
          for (const body of items) {
            const text = await (await post(single.gateway.rpcUrl, body)).text();
            if (text !== '') replies.push(text.trim());
          }
          const answer = await (await post(batch.gateway.rpcUrl, `[${items.join()}]`)).text();
          expect(answer).toBe(replies.length === 0 ? '' : `[${replies.join()}]\n`);
          expect(batch.rows()).toEqual(single.rows());
          expect(await callsTotal(batch.gateway)).toEqual(await callsTotal(single.gateway));
        } finally {
          await Promise.all([single.gateway.close(), batch.gateway.close()]);
        }
      },
    ),
    {
      numRuns: rounds(40),
      examples: [
        [Array.from({ length: 25 }, () => '{"jsonrpc":"2.0","id":"a","method":"rpc.discover"}'), 'inOrder'],
      ],
    },
  );
});
