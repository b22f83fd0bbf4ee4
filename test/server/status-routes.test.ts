import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readReadiness } from '../../src/serve/readiness.ts';
import { partsOf } from '../serve/readiness-parts.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, post, RPC_PATH, readReply, startGateway } from './start-gateway.ts';

type Document = { readonly openrpc: string; readonly methods: readonly { readonly name: string }[] };

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

test('/healthz answers without a key', async () => {
  const response = await fetch(`${gateway.baseUrl}/healthz`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
});

test('/readyz is 200 when all parts are ready, 503 otherwise', async () => {
  const parts = { store: { kind: 'pglite', state: 'ready' } };
  const readNotReady = async () => ({ isReady: false, parts });
  const down = await startGateway({ nodeUrls: [node.url], readReadiness: readNotReady });
  const ready = await fetch(`${gateway.baseUrl}/readyz`);
  const notReady = await fetch(`${down.baseUrl}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  expect([notReady.status, await notReady.json()]).toEqual([503, { status: 'notReady', ...parts }]);
  await down.close();
});

test('/readyz is 503 while the server stops, ready as its parts are', async () => {
  const stopping = { isReady: true, isStopping: true, parts: {} };
  const down = await startGateway({ nodeUrls: [node.url], readReadiness: async () => stopping });
  for (const query of ['', '?exclude=store&exclude=signer&exclude=networks']) {
    const answer = await fetch(`${down.baseUrl}/readyz${query}`);
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'stopping' }]);
  }
  await down.close();
});

test('/readyz is 200 without a store if the store is excluded, and still shows its state', async () => {
  const parts = partsOf({ store: 'lost' });
  const lost = await startGateway({
    nodeUrls: [node.url],
    readReadiness: (excluded) => readReadiness(parts, excluded),
  });
  const answers = [];
  for (const query of [
    '',
    '?exclude=signer&exclude=networks',
    '?exclude=networks&exclude=store&exclude=store',
  ]) {
    const answer = await fetch(`${lost.baseUrl}/readyz${query}`);
    answers.push([answer.status, await answer.json()]);
  }
  const store = { kind: 'postgres', state: 'storeUnavailable', reason: 'unreachable' };
  expect(answers).toEqual([
    [503, expect.objectContaining({ status: 'notReady', store })],
    [503, expect.objectContaining({ status: 'notReady', store })],
    [200, expect.objectContaining({ status: 'degraded', store })],
  ]);
  await lost.close();
});

test.each(['', 'workers', 'Store', 'store,signer'])('/readyz refuses to exclude "%s"', async (name) => {
  const query = new URLSearchParams([
    ['exclude', 'store'],
    ['exclude', name],
  ]);
  const answer = await fetch(`${gateway.baseUrl}/readyz?${query}`);
  const message = `/readyz cannot exclude "${name}": expected one of store, signer, networks, each in a parameter exclude of its own`;
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { jsonrpc: '2.0', id: null, error: { code: -32062, message } },
  ]);
});

test('/readyz ignores parameters that it does not know', async () => {
  expect((await fetch(`${gateway.baseUrl}/readyz?verbose&include=store`)).status).toBe(200);
});

test('/metrics counts by known method and outcome, and holds no key', async () => {
  await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
  const secret = `ks_key_${randomBytes(24).toString('hex')}`;
  await post(gateway.rpcUrl, `{"jsonrpc":"2.0","id":1,"method":"${secret}"}`);
  await post(`${gateway.baseUrl}${RPC_PATH}?apikey=ks_key_wrong`, '{}');
  const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
  const label = 'network="solana-localnet"';
  expect(text).toContain(`keyslot_rpc_calls_total{${label},method="getSlot",outcome="ok"} 1`);
  expect(text).toContain(`keyslot_rpc_calls_total{${label},method="unknown",outcome="methodNotFound"} 1`);
  expect(text).toContain('keyslot_http_refusals_total{error="apiKeyUnknown"} 1');
  expect(text).toContain(`keyslot_rpc_duration_seconds_count{${label},method="getSlot"} 1`);
  expect(text).toContain(`keyslot_rpc_in_flight{${label}} 0`);
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toMatch(new RegExp(`${KEY}|ks_key_wrong|${secret}|node-secret`));
});

test.each(['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via', 'cf-connecting-ip'])(
  '/metrics is not shown through a proxy that adds %s',
  async (name) => {
    const response = await fetch(`${gateway.baseUrl}/metrics`, { headers: { [name]: '203.0.113.9' } });
    expect(response.status).toBe(403);
  },
);

test('the paths for operators are for reading', async () => {
  const response = await post(`${gateway.baseUrl}/healthz`, '{}');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('rpc.discover and /openrpc.json give the same document, and no node is asked', async () => {
  const before = node.seen.length;
  const document = (await (await fetch(`${gateway.baseUrl}/openrpc.json`)).json()) as Document;
  const reply = await post(gateway.rpcUrl, '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}');
  expect((await readReply(reply)).result).toEqual(document);
  expect(document.openrpc).toMatch(/^1\./);
  expect(document.methods.map(({ name }) => name)).toContain('getBalance');
  expect(node.seen).toHaveLength(before);
});
