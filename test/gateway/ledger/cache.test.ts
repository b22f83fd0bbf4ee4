import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from '../../server/scripted-node.ts';
import { type Gateway, post, startGateway } from '../../server/start-gateway.ts';

const SIGNATURE = '4sqYgxxMAbswc39NdNLg2ws9nVmgEeF4URJ4qSR7Qmy54MjsgxioUsgVr1ajwJ3xYuE3aw5W1uajmDMBzu58fvQ6';
const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const GENESIS = '{"jsonrpc":"2.0","id":1,"method":"getGenesisHash"}';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode(echoResult('{"slot":5}'));
  gateway = await startGateway({ nodeUrls: [node.url], cacheBytes: 1024 * 1024 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

async function ask(body: string): Promise<{ readonly text: string; readonly status: string | null }> {
  const response = await post(gateway.rpcUrl, body);
  return { text: await response.text(), status: response.headers.get('cache-status') };
}

function transaction(config = '', id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"getTransaction","params":["${SIGNATURE}"${config}]}`;
}

test.each([
  ['immutable', GENESIS],
  ['final, at the commitment that nodes take for granted', transaction()],
  ['final, under a bare encoding', transaction(',"base64"')],
  ['final, asked for as finalized', transaction(',{"commitment":"finalized"}')],
  ['final, a block', '{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[5,{"rewards":false}]}'],
])('what is %s is answered by the node once, then from memory in the same bytes', async (_name, body) => {
  const first = await ask(body);
  const second = await ask(body);
  expect(first.status).toBe('Keyslot; fwd=miss; stored');
  expect(second).toEqual({ text: first.text, status: 'Keyslot; hit' });
  expect(node.seen.length).toBe(1);
});

test.each([
  ['getBalance', `{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["${ADDRESS}"]}`, null],
  ['getSlot', '{"jsonrpc":"2.0","id":1,"method":"getSlot"}', null],
  ['getBlockTime', '{"jsonrpc":"2.0","id":1,"method":"getBlockTime","params":[5]}', null],
  ['a confirmed transaction', transaction(',{"commitment":"confirmed"}'), 'Keyslot; fwd=bypass'],
  ['one with params above a kilobyte', transaction(`,{"x":"${'x'.repeat(1024)}"}`), 'Keyslot; fwd=bypass'],
])('%s is always asked of the node', async (_name, body, status) => {
  expect((await ask(body)).status).toBe(status);
  expect((await ask(body)).status).toBe(status);
  expect(node.seen.length).toBe(2);
});

test('a null is not kept: what comes after it is', async () => {
  node.play(echoResult('null'));
  expect((await ask(transaction())).status).toBe('Keyslot; fwd=miss');
  node.play(echoResult('{"slot":7}'));
  expect((await ask(transaction())).text).toContain('"slot":7');
  node.play(echoResult('null'));
  expect((await ask(transaction())).text).toContain('"slot":7');
});

test.each([
  ['of the node', '{"jsonrpc":"2.0","error":{"code":-32004,"message":"Block not available"},"id":1}'],
  ['with a result in its data', '{"error":{"code":1,"message":"m","data":{"result":1}},"id":1}'],
  ['of a broken node', 'not json'],
])('an error %s is not kept', async (_name, reply) => {
  node.play((response) => sendJson(response, reply));
  await ask(GENESIS);
  node.play(echoResult('"hash"'));
  const second = await ask(GENESIS);
  expect(second).toEqual({
    text: '{"jsonrpc":"2.0","result":"hash","id":1}\n',
    status: 'Keyslot; fwd=miss; stored',
  });
});

test.each(['1', '18446744073709551615', '"a\\u00e9\\"b"', '-1.50e+3', 'null'])(
  'the id %s is echoed in the bytes it came in',
  async (id) => {
    await ask(transaction('', '"the first"'));
    const hit = await ask(transaction('', id));
    expect(hit).toEqual({
      text: `{"jsonrpc":"2.0","result":{"slot":5},"id":${id}}\n`,
      status: 'Keyslot; hit',
    });
  },
);

test('other params, even another spelling of the same, are another answer', async () => {
  await ask(transaction());
  expect((await ask(transaction(',{"encoding":"base64"}'))).status).toBe('Keyslot; fwd=miss; stored');
  expect((await ask(transaction(',{"encoding": "base64"}'))).status).toBe('Keyslot; fwd=miss; stored');
});

test('malformed params are refused although the cache is asked first', async () => {
  const { text } = await ask('{"jsonrpc":"2.0","id":1,"method":"getTransaction","params":["x"]}');
  expect(text).toContain('"error"');
  expect(node.seen.length).toBe(0);
});

test('a batch is served from memory call by call, and carries no Cache-Status', async () => {
  await ask(transaction());
  const batch = await ask(`[${transaction('', '2')},${transaction('', '"3"')}]`);
  expect(batch.text).toBe(
    '[{"jsonrpc":"2.0","result":{"slot":5},"id":2},{"jsonrpc":"2.0","result":{"slot":5},"id":"3"}]\n',
  );
  expect(batch.status).toBeNull();
  expect(node.seen.length).toBe(1);
});

test('a large answer is kept too, and streamed from memory', async () => {
  const block = `{"transactions":"${'x'.repeat(100_000)}"}`;
  node.play((response) => {
    const body = `{"jsonrpc":"2.0","result":${block},"id":1}`;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  const body = '{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[5]}';
  const [first, second] = [await ask(body), await ask(body.replace('"id":1', '"id":"two"'))];
  expect(first.text).toBe(`{"jsonrpc":"2.0","result":${block},"id":1}`);
  expect(second).toEqual({
    text: `{"jsonrpc":"2.0","result":${block},"id":"two"}`,
    status: 'Keyslot; hit',
  });
});

test('a large answer to another call is not kept, although nobody looks at the id of what is streamed', async () => {
  const body = (id: number): string => `{"jsonrpc":"2.0","result":"${'x'.repeat(100_000)}","id":${id}}`;
  const block = '{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[5]}';
  node.play((response) => sendSized(response, body(2)));
  expect((await ask(block)).status).toBe('Keyslot; fwd=miss');
  node.play((response) => sendSized(response, body(1)));
  expect(await ask(block)).toEqual({ text: body(1), status: 'Keyslot; fwd=miss; stored' });
});

function sendSized(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

test('hits and misses are counted', async () => {
  await ask(GENESIS);
  await ask(GENESIS);
  await ask(GENESIS);
  const text = await gateway.metrics.registry.metrics();
  const labels = 'network="solana-localnet",method="getGenesisHash"';
  expect(text).toContain(`keyslot_cache_requests_total{${labels},outcome="miss"} 1`);
  expect(text).toContain(`keyslot_cache_requests_total{${labels},outcome="hit"} 2`);
});
