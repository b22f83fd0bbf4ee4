import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { echoResult, type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, post, RPC_PATH, startGateway } from '../server/start-gateway.ts';

/** Any key is one; its account is the first part of its name. */
const keys = {
  find: (keyId: string) => ({ kind: 'valid' as const, keyId, accountId: keyId.split('-')[0] ?? '' }),
};
const MIB = 1024 * 1024;
const ANSWER = 16 * MIB;
const LIMIT = 8 * ANSWER;
const LARGE = JSON.stringify('x'.repeat(ANSWER - 1024));
const LARGE_BATCH = '[{"jsonrpc":"2.0","id":1,"method":"getMultipleAccounts","params":[[]]}]';
const BATCH = '[{"jsonrpc":"2.0","id":1,"method":"getSlot"},{"jsonrpc":"2.0","id":2,"method":"getSlot"}]';

let node: ScriptedNode;
let gateway: Gateway;
let ends: (() => void)[];

beforeEach(async () => {
  ends = [];
  node = await startScriptedNode((response, seen, attempt) =>
    echoResult(seen.body.includes('getMultipleAccounts') ? LARGE : '7')(response, seen, attempt),
  );
  const memory = { maxBufferedBytes: 4 * ANSWER, maxHeldBytes: LIMIT };
  gateway = await startGateway({ nodeUrls: [node.url], keys, ...memory, responseTimeoutMs: 8_000 });
});

afterEach(async () => {
  for (const end of ends) end();
  await gateway.close();
  await node.close();
});

const targetOf = (keyId: string): string => `${RPC_PATH}?apikey=${keyId}`;

/** Asks for a large answer in a batch and does not read it; waits until it is held. */
async function attack(keyId: string, heldBytes: number): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1').on('error', () => undefined);
  const head = `POST ${targetOf(keyId)} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
  socket.pause().write(`${head}content-length: ${LARGE_BATCH.length}\r\n\r\n${LARGE_BATCH}`);
  ends.push(() => socket.destroy());
  await expect.poll(held, { timeout: 10_000 }).toBeGreaterThan(heldBytes - MIB);
  return socket;
}

async function held(): Promise<number> {
  const metrics = await gateway.metrics.registry.metrics();
  return Number(/^keyslot_held_reply_bytes (\d+)$/m.exec(metrics)?.[1]);
}

async function ask(keyId: string, body = BATCH): Promise<unknown> {
  return (await post(gateway.baseUrl + targetOf(keyId), body)).json();
}

const FULL = [{ error: { code: -32069 } }];
const FOUND = [{ result: 7 }, { result: 7 }];

test('an account that reads nothing has half of the memory, and others the rest at once', async () => {
  for (let count = 1; count <= 4; count += 1) await attack('mallory-1', count * ANSWER);
  expect(await ask('mallory-2', LARGE_BATCH)).toMatchObject(FULL);
  expect(await held()).toBeLessThanOrEqual(LIMIT / 2);
  expect(await ask('alice-1')).toMatchObject(FOUND);
  expect(await ask('alice-1', LARGE_BATCH)).toMatchObject([{ id: 1 }]);
});

test('after five seconds its slowest answer ends for a client that finds no room, over a WebSocket too', async () => {
  const socket = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}${targetOf('mallory-1')}`);
  ends.push(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  socket.pause();
  socket.send(LARGE_BATCH);
  await expect.poll(held, { timeout: 10_000 }).toBeGreaterThan(ANSWER - MIB);
  for (let count = 2; count <= 4; count += 1) await attack('mallory-1', count * ANSWER);
  const found = (): Promise<unknown> => ask('mallory-2', LARGE_BATCH);
  await expect
    .poll(found, { timeout: 8_000, interval: 500 })
    .toMatchObject([{ id: 1, result: expect.anything() }]);
  const metrics = await gateway.metrics.registry.metrics();
  expect(metrics).toMatch(/keyslot_ws_closes_total\{reason="answerTakenTooSlowly"\} 1/);
});
