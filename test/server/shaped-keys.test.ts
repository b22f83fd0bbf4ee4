import { afterEach, beforeEach, expect, test } from 'vitest';
import { compile, digestKey, Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { type KeyRules, NO_RULES } from '../../src/account/identity/api-keys/key-rules.ts';
import { createKeyText } from '../../src/account/identity/api-keys/key-text.ts';
import type { CountedCalls } from '../../src/server/access/usage-book.ts';
import { openSocket } from '../support/socket-client.ts';
import { startBusyMachineClock } from '../support/busy-machine-clock.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, readReply, RPC_PATH, startGateway } from './start-gateway.ts';

const KEY = createKeyText('ks_key_');
const keyring = new Keyring();
const counted: CountedCalls[] = [];
let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  counted.length = 0;
  node = await startScriptedNode();
  shape({});
  gateway = await startGateway({ nodeUrls: [node.url], keyring, count: (calls) => void counted.push(calls) });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

/** Gives the key these rules alone, as a change of another process does. */
function shape(rules: Partial<KeyRules>): void {
  const all = { ...NO_RULES, ...rules };
  keyring.put({
    ...{ keyId: 'k', accountId: 'a', digest: digestKey(KEY), isRevoked: false },
    ...{ expiresAtMs: all.endsAt?.getTime(), ...compile('k', all) },
  });
}

const call = (method: string, id = 1): string => JSON.stringify({ jsonrpc: '2.0', id, method });

const send = (body: string): Promise<Response> => post(`${gateway.baseUrl}${RPC_PATH}?apikey=${KEY}`, body);

const openWs = () => openSocket(`${gateway.baseUrl.replace('http', 'ws')}${RPC_PATH}?apikey=${KEY}`);

test('a method that a key does not allow is refused by its name, and reaches no node', async () => {
  shape({ methods: ['read'] });
  const before = node.seen.length;
  const response = await send(call('sendTransaction', 7));
  expect(response.status).toBe(403);
  expect(await readReply(response)).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32067,
      message: 'API key not allowed to call sendTransaction; it is allowed: read',
      data: { method: 'sendTransaction', allowed: 'read' },
    },
  });
  expect(node.seen).toHaveLength(before);
  expect(counted).toMatchObject([{ method: 'sendTransaction', outcome: 'callerError' }]);
  expect((await send(call('getSlot'))).status).toBe(200);
});

test('what is no method is refused too, with no more of its name than a person reads', async () => {
  shape({ methods: ['read'] });
  const { error } = await readReply(await send(call('x'.repeat(10_000))));
  expect(error.code).toBe(-32067);
  expect(error.message.length).toBeLessThan(200);
});

test('the calls of a batch are judged one by one, whether they travel together or alone', async () => {
  shape({ methods: ['getSlot', 'getProgramAccounts'] });
  const methods = ['getSlot', 'getBlockHeight', 'getSlot', 'sendTransaction', 'getHealth', 'getSlot'];
  const batch = methods.map((method, index) => JSON.parse(call(method, index)) as unknown);
  const response = await send(JSON.stringify(batch));
  expect(response.status).toBe(200);
  const replies = (await response.json()) as { id: number; error?: { code: number }; result?: number }[];
  expect(replies.map(({ id, error, result }) => [id, error?.code ?? result])).toEqual([
    [0, 1],
    [1, -32067],
    [2, 1],
    [3, -32067],
    [4, -32067],
    [5, 1],
  ]);
  expect(node.seen.some(({ body }) => /getBlockHeight|sendTransaction|getHealth/.test(body))).toBe(false);
});

test('on a WebSocket calls and subscriptions are refused, and a change counts from the next message on', async () => {
  const client = await openWs();
  expect((await client.call('getSlot')).result).toBe(1);
  shape({ methods: ['getSlot'] });
  expect((await client.call('getSlot')).result).toBe(1);
  for (const method of ['slotSubscribe', 'slotUnsubscribe', 'getHealth'])
    expect((await client.call(method)).error).toMatchObject({
      code: -32603,
      data: { code: -32067, name: 'apiKeyMethodRefused', method, allowed: 'getSlot' },
    });
  shape({});
  expect((await client.call('getHealth')).result).toBe(1);
  client.close();
});

test.each([
  ['another network', { networks: ['solana-mainnet'] }, -32068, 'API key not allowed on this network'],
  ['other addresses', { cidrs: ['203.0.113.0/24'] }, -32068, 'API key not allowed from this address'],
  ['other pages', { origins: ['https://a.example'] }, -32067, 'API key not allowed for this origin'],
])(
  'a key for %s opens nothing, and what is open with it ends within a second',
  async (_, rules, code, reason) => {
    const client = await openWs();
    await client.call('getSlot');
    using since = startBusyMachineClock();
    shape(rules);
    expect(await client.closed).toEqual({ code: 4005, reason });
    expect(since.elapsedMs()).toBeLessThan(1_000);
    const response = await send(call('getSlot'));
    expect([response.status, (await readReply(response)).error.code]).toEqual([403, code]);
    await expect(openWs()).rejects.toThrow('403');
  },
);

test('a key for this network works on it', async () => {
  shape({ networks: ['solana-mainnet', 'solana-localnet'] });
  expect((await send(call('getSlot'))).status).toBe(200);
});

test('a key past its end date is refused, and closes its connections', async () => {
  const client = await openWs();
  shape({ endsAt: new Date(0) });
  expect((await client.closed).code).toBe(4002);
  const response = await send(call('getSlot'));
  expect([response.status, (await readReply(response)).error.code]).toEqual([401, -32063]);
});

test('a limit a second counts calls, whatever they weigh, and says what is left', async () => {
  shape({ requestsPerSecond: 3 });
  const batch = `[${call('getSlot')},${call('getBlock', 2)}]`;
  const first = await send(batch);
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-policy')).toMatch(/^".+";q=\d+;w=\d+, "key:second";q=3;w=1$/);
  expect(first.headers.get('ratelimit')).toMatch(/, "key:second";r=1;t=1$/);
  const second = await send(batch);
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await readReply(second)).error).toEqual({
    code: -32070,
    message: 'Limit of the API key reached: 3 requests a second, 1 left, 2 requested; try again in 1 s',
    data: { limit: 3, per: 'second', remaining: 1, value: 2, retryAfterSeconds: 1 },
  });
  expect((await send(call('getSlot'))).status).toBe(200);
  expect(counted.filter(({ outcome }) => outcome === 'refused')).toHaveLength(2);
});

test('a batch that is larger than the limit of its key is told so, and nothing of it is charged', async () => {
  shape({ requestsPerSecond: 2 });
  const response = await send(`[${[1, 2, 3].map((id) => call('getSlot', id)).join()}]`);
  expect([response.status, response.headers.get('retry-after')]).toEqual([413, null]);
  expect((await readReply(response)).error).toEqual({
    code: -32071,
    message: 'The batch has 3 calls, and the API key is limited to 2 requests a second: send smaller batches',
    data: { limit: 2, per: 'second', value: 3 },
  });
  expect((await send(`[${call('getSlot')},${call('getSlot', 2)}]`)).status).toBe(200);
});

test('a limit a day holds over HTTP and WebSocket together, and over changes of other rules', async () => {
  shape({ requestsPerDay: 4 });
  expect((await send(call('getSlot'))).status).toBe(200);
  const client = await openWs();
  await client.call('getSlot');
  shape({ requestsPerDay: 4, methods: ['read'] });
  expect((await send('{')).status).toBe(200);
  expect((await client.call('getSlot')).error).toBeUndefined();
  const { error } = await client.call('getSlot');
  expect(error).toMatchObject({
    code: -32603,
    data: { code: -32070, name: 'apiKeyRateLimited', limit: 4, per: 'day', remaining: 0 },
  });
  const response = await send(call('getSlot'));
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(86_400 - 4_320 - 60);
  shape({});
  expect((await send(call('getSlot'))).status).toBe(200);
  client.close();
});
