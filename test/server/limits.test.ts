import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CountedCalls } from '../../src/server/access/usage-book.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, post, readReply, RPC_PATH, startGateway } from './start-gateway.ts';

/** A window of 20 s, so that no test sees its end but by the clock that it sets. */
const PLAN = { name: 'small', requestsPerSecond: 1, burst: 20 };
const OTHER_KEY = 'ks_key_other';

let node: ScriptedNode;
let gateway: Gateway;
let counted: CountedCalls[];

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_760_000_000_000, toFake: ['Date'] });
  counted = [];
  node = await startScriptedNode();
  gateway = await startGateway({
    nodeUrls: [node.url],
    plan: PLAN,
    count: (message) => void counted.push(message),
    keys: {
      find: (presented) =>
        [KEY, OTHER_KEY].includes(presented)
          ? { kind: 'valid', keyId: presented, accountId: 'a1' }
          : { kind: 'unknown' },
    },
  });
});

afterEach(async () => {
  vi.useRealTimers();
  await gateway.close();
  await node.close();
});

const call = (id: number | string, method = 'getSlot', params = ''): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params}}`;
const batch = (size: number, method = 'getSlot'): string =>
  `[${Array.from({ length: size }, (_, id) => call(id, method)).join(',')}]`;
const otherUrl = (): string => `${gateway.baseUrl}${RPC_PATH}?apikey=${OTHER_KEY}`;

/** The weight that the key has left, by a call that weighs 1. */
async function left(): Promise<number> {
  const { headers } = await post(gateway.rpcUrl, call(0));
  return Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

/** The number of calls that reached the node, alone or in batches. */
const callsSeen = (): number => node.seen.flatMap(({ body }) => body.match(/"method"/g) ?? []).length;

test('a served answer tells the plan, what is left and when the rest comes back', async () => {
  const { status, headers } = await post(gateway.rpcUrl, call(1));
  expect([
    status,
    headers.get('ratelimit-policy'),
    headers.get('ratelimit'),
    headers.get('retry-after'),
  ]).toEqual([200, '"small";q=20;w=20', '"small";r=19;t=20', null]);
});

test('above the plan the answer is 429, says which limit, what was asked and when to come again, and no node is asked', async () => {
  await post(gateway.rpcUrl, batch(18));
  vi.setSystemTime(Date.now() + 500);
  const asked = node.seen.length;
  const response = await post(gateway.rpcUrl, call('"a"', 'getInflationReward', ',"params":[["x"]]'));
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('20');
  expect(response.headers.get('ratelimit')).toBe('"small";r=2;t=20');
  expect(response.headers.get('ratelimit-policy')).toBe('"small";q=20;w=20');
  const { error, id } = await readReply(response);
  expect(id).toBe('a');
  expect(error).toMatchObject({
    code: -32070,
    data: { policy: 'small', limit: 20, windowMs: 20_000, remaining: 2, retryAfterSeconds: 20 },
  });
  expect(error.message).toContain('try again in 20 s');
  expect(node.seen.length).toBe(asked);
  expect((await post(gateway.rpcUrl, call(2))).status).toBe(200);
});

test('a client that waits as long as it was told is served', async () => {
  await post(gateway.rpcUrl, batch(20));
  const refused = await post(gateway.rpcUrl, call(1));
  vi.setSystemTime(Date.now() + Number(refused.headers.get('retry-after')) * 1_000);
  expect((await post(gateway.rpcUrl, call(1))).status).toBe(200);
});

test('a batch weighs the sum of its items and is taken or refused as a whole', async () => {
  expect((await post(gateway.rpcUrl, batch(15))).headers.get('ratelimit')).toContain('r=5;');
  const refused = await post(gateway.rpcUrl, batch(6));
  expect(refused.status).toBe(429);
  expect(await readReply(refused)).toMatchObject({ id: null, error: { data: { value: 6, remaining: 5 } } });
  expect(callsSeen()).toBe(15);
  expect((await post(gateway.rpcUrl, batch(5))).status).toBe(200);
});

test('what the plan can never allow is refused without a time to come again', async () => {
  expect((await post(gateway.rpcUrl, batch(20))).status).toBe(200);
  vi.setSystemTime(Date.now() + 20_000);
  const refused = await post(gateway.rpcUrl, batch(21));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([413, null]);
  expect((await readReply(refused)).error).toMatchObject({
    code: -32071,
    data: { policy: 'small', limit: 20, value: 21 },
  });
  expect(callsSeen()).toBe(20);
  expect(await left()).toBe(18);
});

test('a request with a bad key costs no key anything, and tells nothing of a plan', async () => {
  const { status, headers } = await post(`${gateway.baseUrl}${RPC_PATH}?apikey=nobody`, call(1));
  expect([status, headers.has('ratelimit'), headers.has('ratelimit-policy')]).toEqual([401, false, false]);
  expect(await left()).toBe(19);
});

test.each([
  ['refused parameters', call(1, 'getBalance', ',"params":["0"]'), 1],
  ['refused parameters of a heavy method', call(1, 'getProgramAccounts'), 20],
  ['an unknown method', call(1, 'nope'), 1],
  ['a notification', '{"jsonrpc":"2.0","method":"getSlot"}', 1],
  ['what is no call', '{"jsonrpc":"2.0","id":1}', 1],
  ['what is no JSON', '{', 1],
  ['what is no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 1],
  ['an empty batch', '[]', 1],
  ['a batch of what is no call', '[{},{},{}]', 3],
  ['a batch of more items than are taken', batch(101), 1],
  ['a call in a large body', call(1).padEnd(40_000), 3],
  ['a batch whose calls weigh more than its bytes', batch(5).padEnd(40_000), 5],
  ['a body that is too large', `"${'x'.repeat(51_200)}"`, 1],
] as const)('%s is not free', async (_name, body, weight) => {
  await (await post(gateway.rpcUrl, body)).arrayBuffer();
  vi.setSystemTime(Date.now() + 1);
  if (weight === 20) expect((await post(gateway.rpcUrl, call(0))).status).toBe(429);
  else expect(await left()).toBe(19 - weight);
});

test('a body of another type is not free, and is told its plan', async () => {
  const { status, headers } = await post(gateway.rpcUrl, call(1), { 'content-type': 'text/plain' });
  expect([status, headers.get('ratelimit')]).toEqual([415, '"small";r=19;t=20']);
});

test('a client that leaves in the middle of its body has used the key', async () => {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  const head = `POST ${RPC_PATH}?apikey=${KEY} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
  socket.end(head);
  await eventually('it is counted', () => (counted.length > 0 ? true : undefined));
  expect(counted).toMatchObject([{ keyId: KEY, method: 'invalid', outcome: 'callerError', weight: 1 }]);
  expect(await left()).toBe(18);
});

test.each([
  ['of a large body', 'content-length: 50000'],
  ['of a body of unknown size', 'transfer-encoding: chunked'],
])(
  'once a key has nothing left, the announcement %s is answered, and the body not waited for',
  async (_name, field) => {
    await post(gateway.rpcUrl, batch(20));
    const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
    const fields = `host: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\nconnection: close\r\n${field}`;
    socket.write(`POST ${RPC_PATH}?apikey=${KEY} HTTP/1.1\r\n${fields}\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toContain('-32070');
    expect(counted.at(-1)).toMatchObject({ method: 'unread', outcome: 'refused' });
  },
);

test('the flood of one key takes nothing from another one', async () => {
  const flood = Array.from({ length: 300 }, () => post(gateway.rpcUrl, batch(10)));
  const others = Array.from({ length: 20 }, () => post(otherUrl(), call(1)));
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
  const served = (await Promise.all(flood)).filter(({ status }) => status === 200);
  expect(served.length).toBe(2);
  expect((await post(otherUrl(), call(1))).status).toBe(429);
});

test('calls of one moment on many connections are not let through twice', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(gateway.rpcUrl, call(1))));
  expect(answers.filter(({ status }) => status === 200).length).toBe(20);
  expect(node.seen.length).toBe(20);
});

test('pages may read the fields, of refusals too', async () => {
  const headers = { origin: 'https://app.example' };
  const readable = 'ratelimit, ratelimit-policy, retry-after, cache-status, x-request-id';
  for (const [body, status] of [
    [batch(20), 200],
    [call(1), 429],
  ] as const) {
    const answer = await post(gateway.rpcUrl, body, headers);
    expect([answer.status, answer.headers.get('access-control-expose-headers')]).toEqual([status, readable]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  }
});

test('a request heavier than the burst is answered 413 when the window is used up too: waiting would not help', async () => {
  await post(gateway.rpcUrl, batch(20));
  const answer = await post(gateway.rpcUrl, batch(21));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([413, null]);
  expect((await readReply(answer)).error).toMatchObject({ code: -32071, data: { limit: 20, value: 21 } });
});

test('refusals are counted by plan and limit', async () => {
  await post(gateway.rpcUrl, batch(20));
  await post(gateway.rpcUrl, call(1));
  await post(otherUrl(), batch(21));
  const metrics = await gateway.metrics.registry.metrics();
  expect(metrics).toContain('keyslot_limit_refusals_total{plan="small",error="rateLimited"} 1');
  expect(metrics).toContain('keyslot_limit_refusals_total{plan="small",error="requestTooHeavy"} 1');
});

test('every message is counted for its key by method and outcome', async () => {
  node.play((response, { body }) => {
    const reply = body.includes('getBlockHeight')
      ? '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":2}'
      : '{"jsonrpc":"2.0","result":1,"id":1}';
    sendJson(response, reply);
  });
  await post(gateway.rpcUrl, `[${call(1)},${call(2, 'getBlockHeight')},${call(3, 'nope')},{}]`);
  await post(gateway.rpcUrl, call(1, 'getBalance', ',"params":["0"]'));
  await post(gateway.rpcUrl, '{');
  await post(gateway.rpcUrl, batch(15, 'getVersion'));
  const seen = counted.map(({ keyId, network, method, outcome, weight }) =>
    [keyId === KEY, network, method, outcome, outcome === 'refused' ? 0 : weight].join(' '),
  );
  const refused = Array.from({ length: 15 }, () => 'true solana-localnet getVersion refused 0');
  expect(seen.sort()).toEqual(
    [
      'true solana-localnet getSlot ok 1',
      'true solana-localnet getBlockHeight callerError 1',
      'true solana-localnet unknown callerError 1',
      'true solana-localnet invalid callerError 1',
      'true solana-localnet getBalance callerError 1',
      'true solana-localnet invalid callerError 1',
      ...refused,
    ].sort(),
  );
});
