import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { echoResult, type ScriptedNode, sendJson, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, post, RPC_PATH, startGateway } from '../server/start-gateway.ts';

/** Any key is one; its account is the first part of its name. */
const keys = {
  find: (keyId: string) => ({ kind: 'valid' as const, keyId, accountId: keyId.split('-')[0] ?? '' }),
};
const CONNECTIONS = 32;
const SHARE = CONNECTIONS / 4;
const MIB = 1024 * 1024;
/** More than the sockets on the way take in. */
const LARGE = Buffer.from(`{"jsonrpc":"2.0","result":"${'x'.repeat(16 * MIB)}","id":1}`);
const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const LARGE_CALL = '{"jsonrpc":"2.0","id":1,"method":"getMultipleAccounts","params":[[]]}';
const SEND =
  '{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["11111111111111111111111111111111",1]}';

let node: ScriptedNode;
let gateway: Gateway;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  node = await startScriptedNode((response, seen, attempt) => {
    if (!seen.body.includes('getMultipleAccounts')) return echoResult('7')(response, seen, attempt);
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': LARGE.length })
      .end(LARGE);
  });
  const limits = { connections: CONNECTIONS, responseTimeoutMs: 8_000 };
  gateway = await startGateway({ nodeUrls: [node.url], keys, ...limits });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.close();
  await node.close();
});

/** Requests large answers that are not read, and waits until the node has been asked for `asked` of them. */
async function attack(keyId: string, count: number, asked = count): Promise<readonly Socket[]> {
  const before = large();
  const opened = Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1').on('error', () => undefined);
    const head = `POST ${RPC_PATH}?apikey=${keyId} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
    socket.pause().write(`${head}content-length: ${LARGE_CALL.length}\r\n\r\n${LARGE_CALL}`);
    return socket;
  });
  sockets.push(...opened);
  await expect.poll(large, { timeout: 5_000 }).toBeGreaterThanOrEqual(before + asked);
  return opened;
}

function large(): number {
  return node.seen.filter(({ body }) => body === LARGE_CALL).length;
}

const call = (keyId: string, body = CALL): Promise<Response> =>
  post(`${gateway.baseUrl}${RPC_PATH}?apikey=${keyId}`, body);

async function msOf(answer: () => Promise<Response>): Promise<number> {
  const startMs = performance.now();
  const response = await answer();
  expect([response.status, await response.json()]).toMatchObject([200, { result: 7 }]);
  return performance.now() - startMs;
}

test('one account that reads nothing keeps calls of others from no node', async () => {
  await attack('mallory-1', 2 * CONNECTIONS, CONNECTIONS - CONNECTIONS / 16);
  const first = await Promise.all(Array.from({ length: 20 }, () => msOf(() => call('alice-1'))));
  expect(Math.max(...first)).toBeLessThan(5_000);
  for (let times = 0; times < 20; times += 1) expect(await msOf(() => call('alice-1'))).toBeLessThan(4_000);
  await expect(gateway.metrics.registry.metrics()).resolves.toMatch(
    /keyslot_http_refusals_total\{error="answerTakenTooSlowly"\} [1-9]/,
  );
});

test('nor transactions, which wait for none of its answers to break off', async () => {
  await attack('mallory-1', 2 * CONNECTIONS, CONNECTIONS - CONNECTIONS / 16);
  await msOf(() => call('alice-1', SEND));
  await expect(gateway.metrics.registry.metrics()).resolves.not.toContain('answerTakenTooSlowly');
});

test('nor do many accounts together', async () => {
  const free = CONNECTIONS - CONNECTIONS / 16;
  for (let account = 0; account < free; account += 1) await attack(`mallory${account}-1`, 1);
  for (let account = free; account < CONNECTIONS; account += 1) await attack(`mallory${account}-1`, 1, 0);
  expect(await msOf(() => call('alice-1'))).toBeLessThan(7_900);
});

test('nor one key of an account the others, for more than some seconds; and its calls that wait are no fault of the node', async () => {
  await attack('mallory-1', CONNECTIONS, CONNECTIONS - CONNECTIONS / 16);
  expect(await msOf(() => call('mallory-2'))).toBeLessThan(7_900);
  expect(gateway.nodes.statuses()).toMatchObject([{ standing: 'healthy' }]);
});

test('a slow reader keeps the answer while the others leave connections, or a quarter is enough', async () => {
  const slow = await attack('phone-1', SHARE - 1);
  const hung: ((answer: string) => void)[] = [];
  node.play((response) => hung.push((answer) => sendJson(response, answer)));
  await pause(1_500);
  const others = Array.from({ length: 2 * CONNECTIONS }, () => call('alice-1'));
  await pause(5_000);
  node.play((response) => sendJson(response, '{"jsonrpc":"2.0","result":7,"id":1}'));
  for (const answer of hung) answer('{"jsonrpc":"2.0","result":7,"id":1}');
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  const sizes = await Promise.all(
    slow.map(async (socket) => {
      let bytes = 0;
      for await (const part of socket) {
        bytes += (part as Buffer).length;
        if (bytes > LARGE.length) break;
      }
      return bytes;
    }),
  );
  for (const bytes of sizes) expect(bytes).toBeGreaterThan(LARGE.length);
});
