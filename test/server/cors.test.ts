import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, post, RPC_PATH, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;
let strict: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url] });
  strict = await startGateway({ nodeUrls: [node.url], corsOrigins: ['https://wallet.example'] });
});

afterAll(async () => {
  await gateway.close();
  await strict.close();
  await node.close();
});

const BODY = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

test('a preflight needs no key and allows any origin and the headers asked for', async () => {
  const response = await fetch(`${gateway.baseUrl}${RPC_PATH}`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://any.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,solana-client,x-mine',
    },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
  expect(response.headers.get('access-control-allow-headers')).toBe('content-type,solana-client,x-mine');
  expect(response.headers.get('access-control-max-age')).toBe('86400');
});

test('any origin may read an answer, and a refusal', async () => {
  const headers = { origin: 'https://any.example' };
  const answer = await post(gateway.rpcUrl, BODY, headers);
  const refusal = await post(`${gateway.baseUrl}${RPC_PATH}`, BODY, headers);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect([refusal.status, refusal.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
});

test('where origins are listed, only those may read', async () => {
  const listed = await post(strict.rpcUrl, BODY, { origin: 'https://wallet.example' });
  const other = await post(strict.rpcUrl, BODY, { origin: 'https://other.example' });
  expect(listed.headers.get('access-control-allow-origin')).toBe('https://wallet.example');
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
  expect(other.headers.get('vary')).toBe('origin');
});
