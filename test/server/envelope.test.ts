import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url] });
});

afterAll(async () => {
  expect(node.seen).toEqual([]);
  await gateway.close();
  await node.close();
});

const PARSE_ERROR = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}\n';
const deep = (levels: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"getSlot","params":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test.each([
  ['no JSON', 'hello'],
  ['an empty body', ''],
  ['a body that was cut off', '{"jsonrpc":"2.0","id":1,"method":"getSl'],
  ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"getSlot"}'],
  ['two messages in a row', '{"jsonrpc":"2.0","id":1,"method":"a"}{}'],
  ['a scalar', '5'],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"getSlot"}'],
  ['an id that is an array', '{"jsonrpc":"2.0","id":[1],"method":"getSlot"}'],
  ['an id that is a boolean', '{"jsonrpc":"2.0","id":true,"method":"getSlot"}'],
  ['two ids', '{"jsonrpc":"2.0","id":1,"i\\u0064":2,"method":"getSlot"}'],
  ['a batch with something that is no object', '[{"jsonrpc":"2.0","id":1,"method":"getSlot"},1]'],
  ['128 levels of nesting', deep(128)],
  ['128 levels of nesting in a batch', `[{"jsonrpc":"2.0","id":2,"method":"getSlot"},${deep(127)}]`],
  ['a batch that is larger than is taken, with 128 levels of nesting', `[${'1,'.repeat(1_000)}${deep(127)}]`],
  ['nesting that would exhaust a stack', deep(20_000)],
  ['the same with long numbers in it', deep(20_000).replace('[]', '[12345678901234567890]')],
])('%s is a parse error', async (_name, body) => {
  const response = await post(gateway.rpcUrl, body);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(PARSE_ERROR);
});

test.each([deep(127), `[${deep(126)}]`])('127 levels of nesting are read', async (body) => {
  const reply = await (await post(gateway.rpcUrl, body)).text();
  expect(reply).toContain('"error":{"code":-32602');
});

test.each([
  ['method is missing', '{"jsonrpc":"2.0","id":7}', '7'],
  ['method is a number', '{"jsonrpc":"2.0","id":7,"method":1}', '7'],
  ['params is a string', '{"jsonrpc":"2.0","id":"a","method":"getSlot","params":"x"}', '"a"'],
  ['params is a number', '{"jsonrpc":"2.0","id":7,"method":"getSlot","params":1}', '7'],
  ['a member is unknown', '{"jsonrpc":"2.0","id":7,"method":"getSlot","extra":1}', '7'],
  ['a member is called __proto__', '{"jsonrpc":"2.0","id":7,"method":"getSlot","__proto__":{}}', '7'],
  ['method stands twice', '{"jsonrpc":"2.0","id":7,"method":"getSlot","method":"getVersion"}', '7'],
  [
    'params stands twice, once escaped',
    '{"jsonrpc":"2.0","id":7,"method":"getSlot","params":[],"param\\u0073":[]}',
    '7',
  ],
  ['the version is another', '{"jsonrpc":"1.0","id":7,"method":"getSlot"}', '7'],
  ['the version is a number', '{"jsonrpc":2,"id":7,"method":"getSlot"}', '7'],
  ['there is neither method nor id', '{"jsonrpc":"2.0"}', 'null'],
  ['the object is empty', '{}', 'null'],
])('an invalid request is answered to its id: %s', async (_name, body, id) => {
  const response = await post(gateway.rpcUrl, body);
  const error = '{"code":-32600,"message":"Invalid request"}';
  expect(await response.text()).toBe(`{"jsonrpc":"2.0","error":${error},"id":${id}}\n`);
});

test('a request without a version is told so', async () => {
  const response = await post(gateway.rpcUrl, '{"id":1,"method":"getSlot"}');
  expect(await response.json()).toMatchObject({
    error: { code: -32600, message: 'Unsupported JSON-RPC protocol version' },
    id: 1,
  });
});

test('a body that is not UTF-8 is refused with 400', async () => {
  const body = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  const response = await post(gateway.rpcUrl, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: -32048 }, id: null });
});
