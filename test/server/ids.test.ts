import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url] });
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

const PLAIN = [
  '0',
  '1',
  '18446744073709551615',
  '"0"',
  '"6ba7b810-9dad-11d1-80b4-00c04fd430c8"',
  '"é€"',
  '""',
  'null',
];
const REBUILT = [
  '-1',
  '-0',
  '1.5',
  '1.0',
  '1e3',
  '1E400',
  '18446744073709551616',
  '123456789012345678901234567890',
];
const ESCAPED = ['"\\u0061"', '"a\\/b"', '"\\ud800"', '"\\""'];

test.each(PLAIN)('the id %s goes to the node as it came and comes back', async (id) => {
  const body = `{"jsonrpc":"2.0","id":${id},"method":"getSlot"}`;
  const response = await post(gateway.rpcUrl, body);
  expect(await response.text()).toBe(`{"jsonrpc":"2.0","result":1,"id":${id}}\n`);
  expect(node.seen.at(-1)?.body).toBe(body);
});

test.each([...REBUILT, ...ESCAPED])('the id %s travels as 0 and comes back byte for byte', async (id) => {
  const response = await post(
    gateway.rpcUrl,
    `{"id": ${id} ,"jsonrpc":"2.0","method":"getSlot","params":[ ]}`,
  );
  expect(await response.text()).toBe(`{"jsonrpc":"2.0","result":1,"id":${id}}\n`);
  expect(node.seen.at(-1)?.body).toBe('{"id": 0 ,"jsonrpc":"2.0","method":"getSlot","params":[ ]}');
});

test.each([...PLAIN, ...REBUILT, ...ESCAPED])('the id %s is echoed in an error made here', async (id) => {
  const response = await post(gateway.rpcUrl, `{"jsonrpc":"2.0","id":${id},"method":"nope"}`);
  const error = '{"code":-32601,"message":"Method not found"}';
  expect(await response.text()).toBe(`{"jsonrpc":"2.0","error":${error},"id":${id}}\n`);
});

test('a large reply gets a rebuilt id too', async () => {
  const result = 'y'.repeat(200_000);
  node.play((response) => sendJson(response, `{"jsonrpc":"2.0","id":0,"result":"${result}"}`));
  const response = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":-7,"method":"getSlot"}');
  expect(await response.text()).toBe(`{"jsonrpc":"2.0","id":-7,"result":"${result}"}`);
});
