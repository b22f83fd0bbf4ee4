import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], maxBatchCalls: 300, batchConcurrency: 2 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const call = (id: string, method = 'getSlot'): string => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const reply = (id: string, result = '1'): string => `{"jsonrpc":"2.0","result":${result},"id":${id}}`;
const isBatch = (body: string): boolean => body.startsWith('[');
const batchOf = (ids: readonly unknown[]): string => `[${ids.map((id) => call(String(id))).join()}]`;
const bodies = (): readonly string[] => node.seen.map(({ body }) => body);
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Answers batches with a reply to each call. */
function answerAll(order: (ids: string[]) => string[] = (ids) => ids): void {
  node.play((response, seen, attempt) => {
    if (!isBatch(seen.body)) return echoResult('"alone"')(response, seen, attempt);
    const ids = [...seen.body.matchAll(/"id":("[^"]*"|\d+|null)/g)].map(([, id = '']) => id);
    sendJson(
      response,
      `[${order(ids)
        .map((id) => reply(id, '"together"'))
        .join()}]`,
    );
  });
}

async function ask(body: string): Promise<unknown> {
  return (await post(gateway.rpcUrl, body)).json();
}

test('light reads of a batch reach the node as one batch, as their own bytes', async () => {
  answerAll((ids) => ids.reverse());
  const odd = '{ "id":2 , "jsonrpc":"2.0", "method":"getVersion"}';
  expect(await ask(`[${call('1')}, ${odd},${call('"x"', 'getBlockHeight')}]`)).toMatchObject([
    { id: 1, result: 'together' },
    { id: 2, result: 'together' },
    { id: 'x', result: 'together' },
  ]);
  expect(bodies()).toEqual([`[${call('1')},${odd},${call('"x"', 'getBlockHeight')}]`]);
});

test('what is heavy, what may not be repeated, a notification and a second call with the same id travel alone', async () => {
  answerAll();
  const notification = '{"jsonrpc":"2.0","method":"getSlot"}';
  const airdrop = `{"jsonrpc":"2.0","id":5,"method":"requestAirdrop","params":["${'1'.repeat(32)}",1]}`;
  const items = [call('1'), call('2'), call('2'), call('3', 'getSupply'), notification, airdrop];
  expect(await ask(`[${items.join()}]`)).toMatchObject([
    { result: 'together' },
    { result: 'together' },
    { result: 'alone' },
    { result: 'alone' },
    { id: 5, result: 'alone' },
  ]);
  expect([...bodies()].sort()).toEqual(
    [`[${call('1')},${call('2')}]`, call('2'), call('3', 'getSupply'), notification, airdrop].sort(),
  );
});

test('a call that is the only light one travels as a single call', async () => {
  answerAll();
  await ask(`[${call('1')},${call('2', 'getSupply')}]`);
  expect([...bodies()].sort()).toEqual([call('1'), call('2', 'getSupply')].sort());
});

test('at most 100 calls travel together, in at most the 50 KiB that nodes take', async () => {
  answerAll();
  expect(await ask(batchOf(numbers(201)))).toHaveLength(201);
  expect(bodies().map((body) => body.split('"method"').length - 1)).toEqual([100, 100, 1]);
  const long = (id: number): string => call(`"${id}${'x'.repeat(16_384)}"`);
  await ask(`[${numbers(3).map(long).join()}]`.slice(0, 51_200));
  expect(await ask(`[${[long(1), long(2)].join()}]`)).toHaveLength(2);
  expect(Math.max(...bodies().map((body) => body.length))).toBeLessThanOrEqual(51_200);
});

test('the error of one call is its own', async () => {
  node.play((response) =>
    sendJson(response, `[{"jsonrpc":"2.0","error":{"code":-32004},"id":1},${reply('2')}]`),
  );
  expect(await ask(batchOf([1, 2]))).toEqual([
    { jsonrpc: '2.0', error: { code: -32004 }, id: 1 },
    { jsonrpc: '2.0', result: 1, id: 2 },
  ]);
});

test.each([
  ['an object', '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no batches"},"id":null}'],
  ['a reply too few', `[${reply('1')}]`],
  ['a reply twice', `[${reply('1')},${reply('1')}]`],
  ['a reply to another call', `[${reply('1')},${reply('3')}]`],
  ['a reply without outcome', `[${reply('1')},{"jsonrpc":"2.0","id":2}]`],
  ['a batch that is cut off', `[${reply('1')},${reply('2')}`],
])(
  'a node that answers a batch with %s gets its calls alone, and no batch for a while',
  async (_what, text) => {
    node.play((response, seen, attempt) => {
      if (isBatch(seen.body)) sendJson(response, text);
      else echoResult('"alone"')(response, seen, attempt);
    });
    const alone = [
      { id: 1, result: 'alone' },
      { id: 2, result: 'alone' },
    ];
    const sent = () => bodies().filter((body) => isBatch(body) && !body.includes('getVersion')).length;
    await eventually('none is sent', async () => {
      const before = sent();
      expect(await ask(batchOf([1, 2]))).toMatchObject(alone);
      return sent() === before || undefined;
    });
    expect(sent()).toBeGreaterThan(0);
  },
);

test('a batch that is too large for the node, or breaks, is sent call by call', async () => {
  node.play((response, seen, attempt) => {
    if (isBatch(seen.body)) response.writeHead(413).end();
    else echoResult('"alone"')(response, seen, attempt);
  });
  expect(await ask(batchOf([1, 2]))).toMatchObject([{ result: 'alone' }, { result: 'alone' }]);
  node.play((response, seen, attempt) => {
    if (isBatch(seen.body)) response.destroy();
    else echoResult('"alone"')(response, seen, attempt);
  });
  expect(await ask(batchOf([1, 2]))).toMatchObject([{ result: 'alone' }, { result: 'alone' }]);
});

test('when all replies together are too large, those that have room are answered', async () => {
  const large = `"${'z'.repeat(700 * 1024)}"`;
  node.play((response, { body }) => {
    const ids = [...body.matchAll(/"id":(\d)/g)].map(([, id = '']) => reply(id, large));
    sendJson(response, isBatch(body) ? `[${ids.join()}]` : ids.join());
  });
  expect(await ask(batchOf([1, 2]))).toMatchObject([{ id: 1 }, { id: 2, error: { code: -32056 } }]);
});

test('a busy node is not asked again call by call', async () => {
  node.play((response) => response.writeHead(429).end());
  expect(await ask(batchOf([1, 2]))).toMatchObject([
    { error: { code: -32053 } },
    { error: { code: -32053 } },
  ]);
  expect(bodies()).toHaveLength(1);
});

test('calls that have to be sent again are under way as many at a time as others that travel alone', async () => {
  let [most, underWay] = [0, 0];
  node.play((response, seen, attempt) => {
    if (isBatch(seen.body)) return void response.writeHead(413).end();
    underWay++;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay--;
      echoResult('"alone"')(response, seen, attempt);
    }, 5);
  });
  const items = [
    ...numbers(8).map((id) => call(String(id))),
    call('"s"', 'getSupply'),
    call('"t"', 'getSupply'),
  ];
  expect(await ask(`[${items.join()}]`)).toMatchObject(items.map(() => ({ result: 'alone' })));
  expect(most).toBe(2);
});
