import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { collectRequests } from '../support/collect-requests.ts';
import { openSocket } from '../support/socket-client.ts';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from './scripted-node.ts';
import { type Gateway, type GatewayOptions, KEY, post, RPC_PATH, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;
let log: ReturnType<typeof collectRequests>;

beforeEach(async () => {
  node = await startScriptedNode();
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

async function start(options: Partial<GatewayOptions> = {}): Promise<void> {
  log = collectRequests();
  gateway = await startGateway({ nodeUrls: [node.url], requests: log.requests, ...options });
}

const call = (id: unknown, method: string, params: readonly unknown[] = []): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const ADDRESS = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

test('a call over HTTP is noted under the id in the header of its answer', async () => {
  await start();
  const body = call(1, 'getBalance', [ADDRESS]);
  const answer = await post(gateway.rpcUrl, body);
  const text = await answer.text();
  expect(answer.headers.get('x-request-id')).toMatch(/^req_[1-9A-HJ-NP-Za-km-z]{22}$/);
  expect(log.rows).toEqual([
    {
      accountId: 'a1',
      atMs: 0,
      requestId: answer.headers.get('x-request-id'),
      protocol: 'json_rpc',
      network: 'solana-localnet',
      method: 'getBalance',
      callerKind: 'key',
      callerId: 'k1',
      status: 200,
      durationUs: expect.any(Number),
      bytesIn: body.length,
      bytesOut: text.length,
      node: 'node-1',
    },
  ]);
});

test('an error of a node is noted with its code, one of the server with its own', async () => {
  await start();
  node.play((response, seen, attempt) =>
    seen.body.includes('getBlock')
      ? sendJson(response, '{"jsonrpc":"2.0","error":{"code":-32007,"message":"skipped"},"id":1}\n')
      : echoResult('1')(response, seen, attempt),
  );
  await post(gateway.rpcUrl, call(1, 'getBlock', [5]));
  await post(gateway.rpcUrl, call(1, 'getBalance', ['?']));
  await post(gateway.rpcUrl, call(1, 'getMoon'));
  await post(gateway.rpcUrl, '{');
  expect(
    log.rows.map(({ method, status, error, rpcCode, node }) => [method, status, error, rpcCode, node]),
  ).toEqual([
    ['getBlock', 200, 'node_error', -32_007, 'node-1'],
    ['getBalance', 200, 'invalid_base58', -32_602, undefined],
    ['unknown', 200, 'method_not_found', -32_601, undefined],
    ['invalid', 200, 'parse_error', -32_700, undefined],
  ]);
});

test('each call of a batch is noted, under one id', async () => {
  await start();
  const answer = await post(
    gateway.rpcUrl,
    `[${call(1, 'getSlot')},${call(2, 'getBlockHeight')},${call(3, 'getMoon')},{"id":4},${call(5, 'getSupply')}]`,
  );
  const id = answer.headers.get('x-request-id');
  const noted = log.rows.map(({ requestId, method, status, error }) => [
    requestId === id,
    method,
    status,
    error,
  ]);
  expect(noted.toSorted()).toEqual(
    [
      [true, 'getSlot', 200, undefined],
      [true, 'getBlockHeight', 200, undefined],
      [true, 'unknown', 200, 'method_not_found'],
      [true, 'invalid', 200, expect.any(String)],
      [true, 'getSupply', 200, undefined],
    ].toSorted(),
  );
});

test('light reads that reach a node together are noted with the node', async () => {
  await start();
  node.play((response) =>
    sendJson(response, '[{"jsonrpc":"2.0","result":1,"id":1},{"jsonrpc":"2.0","result":2,"id":2}]\n'),
  );
  await post(gateway.rpcUrl, `[${call(1, 'getSlot')},${call(2, 'getBlockHeight')}]`);
  expect(log.rows.map((row) => [row.method, row.node, row.status])).toEqual([
    ['getSlot', 'node-1', 200],
    ['getBlockHeight', 'node-1', 200],
  ]);
});

test('a request that the plan refuses is noted, and one with a key that has ended', async () => {
  await start({ plan: { name: 'one', requestsPerSecond: 1, burst: 1 } });
  await post(gateway.rpcUrl, call(1, 'getSlot'));
  const refused = await post(gateway.rpcUrl, call(1, 'getSlot'));
  const ended = await post(gateway.rpcUrl.replace(KEY, 'ks_key_old'), call(1, 'getSlot'));
  const unknown = await post(gateway.rpcUrl.replace(KEY, 'ks_key_nobody'), call(1, 'getSlot'));
  expect([refused, ended, unknown].map(({ status }) => status)).toEqual([429, 401, 401]);
  expect(
    log.rows.slice(1).map(({ requestId, method, status, error }) => [requestId, method, status, error]),
  ).toEqual([
    [refused.headers.get('x-request-id'), 'getSlot', 429, 'rate_limited'],
    [ended.headers.get('x-request-id'), 'unread', 401, 'api_key_revoked'],
  ]);
});

test('a client that leaves is noted as such', async () => {
  await start();
  const isAsked = Promise.withResolvers<void>();
  node.play(() => isAsked.resolve());
  const leaving = new AbortController();
  const sent = fetch(gateway.rpcUrl, {
    method: 'POST',
    body: call(1, 'getSlot'),
    signal: leaving.signal,
    headers: { 'content-type': 'application/json' },
  });
  await isAsked.promise;
  leaving.abort();
  await expect(sent).rejects.toThrow();
  await eventually('the call is noted', () => log.rows[0]);
  expect(log.rows[0]).toMatchObject({ error: 'client_left', method: 'getSlot' });
  expect(log.rows[0]?.status).toBeUndefined();
});

test('the messages of a WebSocket are noted under the id of the answer that opened it', async () => {
  await start();
  const client = await openSocket(gateway.wsUrl);
  await client.call('getSlot');
  await client.call('getMoon');
  client.send('{');
  await client.next();
  const [id] = log.rows.map(({ requestId }) => requestId);
  expect(id).toBe(client.headers['x-request-id']);
  expect(
    log.rows.map(({ requestId, protocol, method, status, error }) => [
      requestId,
      protocol,
      method,
      status,
      error,
    ]),
  ).toEqual([
    [id, 'websocket', 'getSlot', undefined, undefined],
    [id, 'websocket', 'unknown', undefined, 'method_not_found'],
    [id, 'websocket', 'invalid', undefined, 'parse_error'],
  ]);
});

test('params are noted only while an operator keeps them, and a bounded part of them', async () => {
  await start();
  await post(gateway.rpcUrl, call(1, 'getBalance', [ADDRESS]));
  expect(JSON.stringify(log.rows)).not.toContain(ADDRESS);
  log.keeps.params = true;
  await post(gateway.rpcUrl, call(1, 'getBalance', [ADDRESS]));
  await post(gateway.rpcUrl, call(1, 'getMultipleAccounts', [Array.from({ length: 100 }, () => ADDRESS)]));
  await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  expect(log.rows.slice(1).map(({ params }) => params)).toEqual([
    `["${ADDRESS}"]`,
    JSON.stringify([Array.from({ length: 100 }, () => ADDRESS)]).slice(0, 4_096),
    undefined,
  ]);
});

test('an answer to another path has no row', async () => {
  await start();
  await post(gateway.rpcUrl.replace(RPC_PATH, '/elsewhere'), call(1, 'getSlot'));
  expect(log.rows).toEqual([]);
});
