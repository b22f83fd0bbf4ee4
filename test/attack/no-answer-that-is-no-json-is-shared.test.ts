import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  batchOf,
  cacheByHand,
  callOf,
  context,
  reply,
  settle,
  textOf,
} from '../gateway/ledger/cache-by-hand.ts';
import { echoResult, type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, post, startGateway } from '../server/start-gateway.ts';

const GENESIS = '{"jsonrpc":"2.0","id":1,"method":"getGenesisHash"}';
const BAD = {
  'a word that is no JSON': Buffer.from('NaN'),
  'a text that is no UTF-8': Buffer.from([0x22, 0x61, 0xff, 0x22]),
  'half a number': Buffer.from('1.'),
  'a member without a value': Buffer.from('{"a":}'),
  'a large text that is no UTF-8': Buffer.concat([
    Buffer.from(`["${'x'.repeat(100_000)}`),
    Buffer.from([0xc3]),
    Buffer.from('"]'),
  ]),
};

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode(echoResult('"good"'));
  gateway = await startGateway({ nodeUrls: [node.url], cacheBytes: 16 * 1024 * 1024 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

function replyWith(result: Buffer, id: number): Buffer {
  return Buffer.concat([Buffer.from('{"jsonrpc":"2.0","result":'), result, Buffer.from(`,"id":${id}}`)]);
}

test.each(Object.entries(BAD))('%s is not kept for the next client', async (_what, result) => {
  node.play((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(replyWith(result, 1));
  });
  await (await post(gateway.rpcUrl, GENESIS)).arrayBuffer();
  node.play(echoResult('"good"'));
  const second = await post(gateway.rpcUrl, GENESIS);
  expect([await second.text(), second.headers.get('cache-status')]).toEqual([
    expect.stringContaining('"good"'),
    'Keyslot; fwd=miss; stored',
  ]);
});

test.each(Object.entries(BAD))('%s is not shared with clients that ask meanwhile', async (_what, result) => {
  const { cached, pending } = cacheByHand();
  const [first, second] = [1, 2].map((id) => cached.serve(callOf('getGenesisHash', id), context));
  pending[0]?.resolve({ kind: 'whole', body: replyWith(result, 1), isError: false });
  await first;
  await settle();
  expect(pending.length).toBe(2);
  pending[1]?.resolve(reply('"good"', 2));
  expect((await second)?.cacheStatus).toBe('fwd=miss; stored');
});

test.each(Object.entries(BAD))(
  '%s in a batch is not shared with others that ask it',
  async (_what, result) => {
    const { cached, batches, pending } = cacheByHand();
    const batch = cached.serveBatch(batchOf('getGenesisHash', ['[]']), context);
    const other = cached.serve(callOf('getGenesisHash', 2), context);
    batches[0]?.resolve([{ kind: 'whole', body: replyWith(result, 1), isError: false }]);
    await batch;
    await settle();
    pending[0]?.resolve(reply('"good"', 2));
    expect(await textOf(other)).toContain('"good"');
  },
);
