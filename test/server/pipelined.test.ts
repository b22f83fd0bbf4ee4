import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { echoResult, type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, RPC_PATH, startGateway } from './start-gateway.ts';

const TARGET = `${RPC_PATH}?apikey=${KEY}`;

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], requestTimeoutMs: 500 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const post = (id: number, ...fields: readonly string[]): string => {
  const body = `{"jsonrpc":"2.0","id":${id},"method":"getSlot"}`;
  const head = [`POST ${TARGET} HTTP/1.1`, 'host: x', 'content-type: application/json', ...fields];
  return `${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

const BEGUN = `POST ${TARGET} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{`;
const UPGRADE = `GET ${TARGET} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 1\r\n\r\n`;

/** The statuses that come, in order, when all is sent in one go and the node answers only when all of it has been read. */
async function statusesOf(bytes: string): Promise<readonly string[]> {
  node.play(
    (response, seen, attempt) => void setTimeout(() => echoResult('1')(response, seen, attempt), 100),
  );
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  socket.write(bytes);
  return (await text(socket)).match(/HTTP\/1\.1 \d{3}/g)?.map((line) => line.slice(-3)) ?? [];
}

test.each([
  ['asks for the end itself', post(3, 'connection: close'), '200'],
  ['is no HTTP', 'hello\r\n\r\n', '400'],
  ['has two lengths', post(3, 'content-length: 1'), '400'],
  ['has too large a head', `${post(3, `x: ${'x'.repeat(20_000)}`)}`, '431'],
  ['does not come whole', BEGUN, '408'],
  ['is a bad request for WebSocket', UPGRADE, '400'],
])('requests before one that %s are answered, and then it', async (_what, last, status) => {
  expect(await statusesOf(post(1) + post(2) + last)).toEqual(['200', '200', status]);
});

test('a WebSocket behind a request that is under way opens after its answer', async () => {
  const opening = UPGRADE.replace('version: 1', 'version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==');
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  node.play(
    (response, seen, attempt) => void setTimeout(() => echoResult('1')(response, seen, attempt), 100),
  );
  socket.write(post(1, 'accept: */*') + opening);
  let heard = '';
  for await (const chunk of socket) {
    heard += String(chunk);
    if (heard.includes('HTTP/1.1 101')) break;
  }
  expect(heard.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 101']);
});
