import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, readReply, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;
let mainnet: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url] });
  mainnet = await startGateway({ nodeUrls: [node.url], environment: 'mainnet' });
});

afterAll(async () => {
  await gateway.close();
  await mainnet.close();
  await node.close();
});

const ADDRESS = '83astBRguLMdt2h5U1Tpdq5tjFoJ6noeGwaY3mDLVcri';
const call = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const unsigned = (count: number): string =>
  Buffer.concat([Buffer.from([count]), Buffer.alloc(64 * count), Buffer.alloc(100, 1)]).toString('base64');

test.each([
  ['an unknown method', 'getslot', [], -32601, 'Method not found'],
  ['an address outside the alphabet', 'getBalance', ['0'], -32602, 'Invalid param: Invalid'],
  ['an address of another size', 'getBalance', ['1111'], -32602, 'Invalid param: WrongSize'],
  ['params that are an object', 'getBalance', { a: 1 }, -32602, '`params` should be an array'],
  [
    'no params where one is required',
    'getBalance',
    [],
    -32602,
    '`params` should have at least 1 argument(s)',
  ],
  ['a span above 500,000', 'getBlocks', [0, 500_001], -32602, 'Slot range too large; max 500000'],
  [
    'processed for blocks',
    'getBlocks',
    [0, 1, { commitment: 'processed' }],
    -32602,
    'Method does not support commitment below `confirmed`',
  ],
  [
    '257 signatures',
    'getSignatureStatuses',
    [new Array(257).fill('1'.repeat(64))],
    -32602,
    'Too many inputs provided; max 256',
  ],
  [
    'a transaction with zeros for signatures, without preflight',
    'sendTransaction',
    [unsigned(1), { encoding: 'base64', skipPreflight: true }],
    -32002,
    'Transaction simulation failed: Transaction did not pass signature verification',
  ],
  [
    'a transaction without signatures, without preflight',
    'sendTransaction',
    [unsigned(0), { encoding: 'base64', skipPreflight: true }],
    -32602,
    'invalid transaction: Transaction failed to sanitize accounts offsets correctly',
  ],
])(
  '%s is refused here with the words of a node, and reaches none',
  async (_name, method, params, code, message) => {
    const before = node.seen.length;
    const response = await post(gateway.rpcUrl, call(method, params));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ error: { code, message }, id: 1 });
    expect(node.seen).toHaveLength(before);
  },
);

test.each([
  ['the span of 500,000', 'getBlocks', [0, 500_000]],
  ['256 signatures', 'getSignatureStatuses', [new Array(256).fill('1'.repeat(64))]],
  ['unknown members and an unknown commitment', 'getBalance', [ADDRESS, { commitment: 'banana', mine: [1] }]],
  [
    'a transaction with zeros for signatures, which preflight refuses,',
    'sendTransaction',
    [unsigned(1), { encoding: 'base64' }],
  ],
  ['null for a config', 'getBalance', [ADDRESS, null]],
  ['null for params', 'getVersion', null],
])('%s passes', async (_name, method, params) => {
  const body = call(method, params);
  expect(await (await post(gateway.rpcUrl, body)).json()).toMatchObject({ result: 1 });
  expect(node.seen.at(-1)?.body).toBe(body);
});

test('an integer of 64 bits passes exactly', async () => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["${ADDRESS}",{"minContextSlot":18446744073709551615}]}`;
  await post(gateway.rpcUrl, body);
  expect(node.seen.at(-1)?.body).toBe(body);
  const before = node.seen.length;
  const refused = await post(gateway.rpcUrl, body.replace('551615', '551616'));
  expect((await readReply(refused)).error.code).toBe(-32602);
  expect(node.seen).toHaveLength(before);
});

test('requestAirdrop is refused on mainnet and passes elsewhere', async () => {
  const body = call('requestAirdrop', [ADDRESS, 1]);
  const before = node.seen.length;
  const refused = await post(mainnet.rpcUrl, body);
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    error: {
      code: -32600,
      message: 'Invalid request',
      data: {
        environment: 'mainnet',
        reason: 'requestAirdrop works in test environments only, and this network is mainnet',
      },
    },
    id: 1,
  });
  expect(node.seen).toHaveLength(before);
  expect(await (await post(gateway.rpcUrl, body)).json()).toMatchObject({ result: 1 });
});
