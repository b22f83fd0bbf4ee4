import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { echoResult, type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, KEY, RPC_PATH, startGateway } from './start-gateway.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], requestTimeoutMs: 300 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const BODY = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const LENGTH = `content-length: ${BODY.length}`;
const TARGET = `${RPC_PATH}?apikey=${KEY}`;

function request(target: string, headers: readonly string[], body = BODY): string {
  const head = [`POST ${target} HTTP/1.1`, 'host: x', 'content-type: application/json', ...headers];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function send(bytes: string): Socket {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  socket.write(bytes);
  return socket;
}

const statusLines = (answer: string): readonly string[] => answer.match(/HTTP\/1\.1 \d{3}/g) ?? [];

test.each([
  ['origin form', TARGET],
  ['absolute form', `http://keyslot.example:1234${TARGET}`],
])('a request target in %s is served', async (_form, target) => {
  const answer = await text(send(request(target, [LENGTH, 'connection: close'])));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain('"result":1');
});

test.each([
  ['two lengths', [LENGTH, 'content-length: 3'], BODY],
  ['a length and chunks', [LENGTH, 'transfer-encoding: chunked'], `0\r\n\r\n${BODY}`],
  ['chunks that are none', ['transfer-encoding: chunked'], `zz\r\n${BODY}`],
  ['an unknown transfer coding', ['transfer-encoding: xchunked'], BODY],
])('a body framed by %s is refused with 400, closed, and reaches no node', async (_how, headers, body) => {
  expect(statusLines(await text(send(request(TARGET, headers, body))))).toEqual(['HTTP/1.1 400']);
  expect(node.seen).toEqual([]);
});

const UPGRADE = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];

test.each([
  ['another', request(TARGET, [LENGTH, 'Host: y']), 'application/json;'],
  ['the same', request(TARGET, [LENGTH, 'host: x']), 'application/json;'],
  ['a REST service', request('/v1/wallets', [LENGTH, 'host: y']), 'application/problem+json;'],
  ['absolute form', request(`http://x${TARGET}`, [LENGTH, 'host: y']), 'application/json;'],
  ['100-continue', request(TARGET, [LENGTH, 'host: y', 'expect: 100-continue'], ''), 'application/json;'],
  ['WebSocket', request(TARGET, [...UPGRADE, 'host: y'], '').replace('POST', 'GET'), 'application/json;'],
])('a second Host, %s, is refused with 400, closed, and reaches no node', async (_which, bytes, type) => {
  const answer = await text(send(bytes));
  expect(statusLines(answer)).toEqual(['HTTP/1.1 400']);
  expect(answer).toContain(`content-type: ${type}`);
  expect(node.seen).toEqual([]);
});

test('a second Host is refused after the answers to the requests before', async () => {
  const bytes = request(TARGET, [LENGTH]) + request(TARGET, [LENGTH, 'host: y']);
  expect(statusLines(await text(send(bytes)))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test.each([
  ['401', RPC_PATH, 'content-length: 99'],
  ['413', TARGET, 'content-length: 99999999'],
])(
  'a request answered with %s before its body came gets no second answer',
  async (status, target, length) => {
    const answer = await text(send(request(target, [length], '{')));
    expect(statusLines(answer)).toEqual([`HTTP/1.1 ${status}`]);
  },
);

test.each([
  ['1.1', ['HTTP/1.1 100', 'HTTP/1.1 200']],
  ['1.0', ['HTTP/1.1 200']],
])('a client of HTTP/%s that expects 100-continue gets %j', async (version, statuses) => {
  const headers = [LENGTH, 'expect: 100-continue', 'connection: close'];
  const bytes = request(TARGET, headers).replace('HTTP/1.1', `HTTP/${version}`);
  expect(statusLines(await text(send(bytes)))).toEqual(statuses);
});

test.each([
  ['plain', request(TARGET, [LENGTH]), ['HTTP/1.1 504', 'HTTP/1.1 400']],
  [
    'chunked',
    request(TARGET, ['transfer-encoding: chunked'], `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`),
    ['HTTP/1.1 504', 'HTTP/1.1 400'],
  ],
])(
  'what comes behind a %s request under way and is no HTTP is not taken for its answer',
  async (_kind, first, statuses) => {
    const arrived = Promise.withResolvers<void>();
    node.play(() => arrived.resolve());
    const socket = send(first);
    await arrived.promise;
    socket.write('hello\r\n\r\n');
    expect(statusLines(await text(socket))).toEqual(statuses);
  },
);

test('pipelined requests are answered in their order', async () => {
  node.play((response, seen, attempt) => {
    if (seen.body.includes('getSlot')) setImmediate(() => echoResult('"slot"')(response, seen, attempt));
    else echoResult('"version"')(response, seen, attempt);
  });
  const second = BODY.replace('getSlot', 'getVersion');
  const last = request(TARGET, [`content-length: ${second.length}`, 'connection: close'], second);
  const answer = await text(send(request(TARGET, [LENGTH]) + last));
  expect(answer.match(/"result":"\w+"/g)).toEqual(['"result":"slot"', '"result":"version"']);
});
