import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../src/core/rpc/json.ts';
import { callMethod } from '../../src/localnet/call-method.ts';
import { printResult } from '../../src/localnet/printed-result.ts';
import { startRpcServer } from '../../src/localnet/serve-ledger.ts';
import { newLedger } from './new-ledger.ts';

const { ledger } = newLedger();
let server: Awaited<ReturnType<typeof startRpcServer>>;
const JSON_HEADERS = { 'content-type': 'application/json' };

beforeAll(async () => {
  server = await startRpcServer(ledger, { host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close(1000));

const url = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
const post = (body: string, path = '/', headers: Record<string, string> = JSON_HEADERS) =>
  fetch(url(path), { method: 'POST', headers, body });
const rpc = async (call: object) =>
  parseJson(await (await post(JSON.stringify({ jsonrpc: '2.0', ...call }))).text());

test('answers on any path, and prints integers exactly', async () => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 'a',
    method: 'getAccountInfo',
    params: [ledger.genesis.faucet.address],
  });
  const response = await post(body, '/any/path?apikey=unused');
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(await response.text()).toContain('"rentEpoch":18446744073709551615');
});

test('answers batches in order and notifications not at all', async () => {
  const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method });
  const batch = await post(
    JSON.stringify([call(2, 'getHealth'), call(1, 'nope'), { jsonrpc: '2.0', method: 'getHealth' }]),
  );
  expect(await batch.json()).toMatchObject([
    { id: 2, result: 'ok' },
    { id: 1, error: { code: -32601, message: 'Method not found' } },
  ]);
  const silent = await post(JSON.stringify({ jsonrpc: '2.0', method: 'getHealth' }));
  expect([silent.status, await silent.text()]).toEqual([200, '']);
});

test('params are checked in the words of a node', async () => {
  expect(await rpc({ id: 1, method: 'getBalance', params: ['0'] })).toMatchObject({
    error: { code: -32602, message: 'Invalid param: Invalid' },
  });
  expect(await rpc({ id: 1, method: 'getBalance', params: [] })).toMatchObject({ error: { code: -32602 } });
  expect(await rpc({ id: 1, method: 'rpc.discover' })).toMatchObject({ error: { code: -32601 } });
});

test('the leader schedule is printed once, as it stands', async () => {
  const call = { id: 1, method: 'getLeaderSchedule', params: [null, { commitment: 'processed' }] };
  const slots = Array.from({ length: 432_000 }, (_, index) => index);
  const result = { [ledger.genesis.identity.address]: slots };
  expect(await rpc(call)).toEqual({ jsonrpc: '2.0', id: 1, result });
  const schedule = await callMethod(ledger, call.method, call.params);
  expect(stringifyJson(schedule)).toBe(printResult(schedule));
  expect(await callMethod(ledger, call.method, call.params)).toBe(schedule);
});

test('tells its health, and refuses what is no JSON-RPC over POST', async () => {
  const health = await fetch(url('/health'));
  expect([health.status, await health.text()]).toEqual([200, 'ok']);
  expect((await fetch(url('/'))).status).toBe(405);
  expect((await post('{}', '/', { 'content-type': 'text/plain' })).status).toBe(415);
  const encoded = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  expect(await (await post('{}', '/', encoded)).json()).toMatchObject({
    error: { data: { encoding: 'gzip' } },
  });
  expect((await post('x'.repeat(51_201))).status).toBe(413);
  const preflight = await fetch(url('/'), {
    method: 'OPTIONS',
    headers: { 'access-control-request-headers': 'x-custom' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    200,
    'x-custom',
  ]);
});
