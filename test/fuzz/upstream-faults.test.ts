import { createServer, type AddressInfo } from 'node:net';
import type { ErrorName } from '../../generated/errors.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Script, type ScriptedNode, sendJson, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, post, startGateway } from '../server/start-gateway.ts';

const SIGNED = Buffer.concat([Buffer.from([1]), Buffer.alloc(64, 7), Buffer.alloc(100, 1)]).toString(
  'base64',
);
const READ = '{"jsonrpc":"2.0","id":7,"method":"getSlot"}';
const SEND = `{"jsonrpc":"2.0","id":7,"method":"sendTransaction","params":["${SIGNED}",{"encoding":"base64"}]}`;
const JSON_HEADERS = { 'content-type': 'application/json' };
const LARGE = `{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(200_000)}`;

type Fault = {
  readonly what: string;
  readonly script: Script;
  /** HTTP status and JSON-RPC code of the answer; `cut`: it had begun, so its connection is broken off, for a reason that is counted. */
  readonly answer: readonly [status: number, code: number] | readonly ['cut', ErrorName];
  /** The number of requests that the node sees of a read; of a transaction it must always be one. */
  readonly reads: number;
};

const status =
  (code: number, body = ''): Script =>
  (response) =>
    void response.writeHead(code, JSON_HEADERS).end(body);

const begin =
  (text: string, isReset: boolean): Script =>
  (response) => {
    response.writeHead(200, JSON_HEADERS).write(text, () => {
      if (isReset) response.socket?.resetAndDestroy();
    });
  };

const FAULTS: readonly Fault[] = [
  {
    what: 'a reset before the answer',
    script: (response) => void response.socket?.resetAndDestroy(),
    answer: [502, -32050],
    reads: 2,
  },
  {
    what: 'a reset within the head',
    script: (response) =>
      void response.socket?.write('HTTP/1.1 200 OK\r\ncont', () => response.socket?.resetAndDestroy()),
    answer: [502, -32050],
    reads: 2,
  },
  {
    what: 'a reset in the middle of a small body',
    script: begin('{"jsonrpc"', true),
    answer: [502, -32050],
    reads: 2,
  },
  {
    what: 'a reset in the middle of a large body',
    script: begin(LARGE, true),
    answer: ['cut', 'upstreamBroken'],
    reads: 1,
  },
  { what: 'no first byte', script: () => undefined, answer: [504, -32052], reads: 1 },
  { what: 'a small body that stalls', script: begin('{"jsonrpc"', false), answer: [504, -32052], reads: 1 },
  {
    what: 'a large body that stalls',
    script: begin(LARGE, false),
    answer: ['cut', 'upstreamTimeout'],
    reads: 1,
  },
  {
    what: 'another content type',
    script: (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('{"jsonrpc":"2.0","result":1,"id":7}'),
    answer: [502, -32050],
    reads: 1,
  },
  {
    what: 'invalid JSON',
    script: (response) => sendJson(response, '{"jsonrpc":"2.0","result":01x,"id":7'),
    answer: [502, -32050],
    reads: 1,
  },
  {
    what: 'nothing but white space',
    script: (response) => sendJson(response, ' '.repeat(100_000)),
    answer: [502, -32050],
    reads: 1,
  },
  {
    what: 'the answer to another call',
    script: (response) => sendJson(response, '{"jsonrpc":"2.0","result":1,"id":8}'),
    answer: [502, -32050],
    reads: 1,
  },
  {
    what: 'what is no HTTP',
    script: (response) => void response.socket?.end('\u0016\u0003\u0001 SSH-2.0\r\n\r\n'),
    answer: [502, -32050],
    reads: 2,
  },
  { what: 'status 413', script: status(413), answer: [413, -32046], reads: 1 },
  { what: 'status 429', script: status(429), answer: [429, -32053], reads: 1 },
  ...[500, 502, 503, 504].map(
    (code): Fault => ({
      what: `status ${code}`,
      script: status(code, '{"jsonrpc":"2.0","result":1,"id":7}'),
      answer: [502, -32050],
      reads: 1,
    }),
  ),
];

let node: ScriptedNode;
let gateway: Gateway;

beforeEach(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], responseTimeoutMs: 250, bodyTimeoutMs: 250 });
});

afterEach(async () => {
  await gateway.close();
  await node.close();
});

const CALLS = [
  { call: 'a read', body: READ, isRead: true },
  { call: 'a transaction', body: SEND, isRead: false },
];

test.each(FAULTS.flatMap((fault) => CALLS.map((call) => ({ ...fault, ...call }))))(
  '$what in answer to $call is answered with $answer',
  async ({ script, answer, reads, body, isRead }) => {
    node.play(script);
    const response = await post(gateway.rpcUrl, body);
    const [httpStatus, code] = answer;
    if (httpStatus === 'cut') {
      await expect(response.text()).rejects.toThrow();
      const failed = `keyslot_upstream_errors_total{network="solana-localnet",error="${code}"} 1`;
      expect(await gateway.metrics.registry.metrics()).toContain(failed);
    } else {
      expect(response.status).toBe(httpStatus);
      expect(await response.json()).toMatchObject({ error: { code }, id: 7 });
    }
    expect(node.seen).toHaveLength(isRead ? reads : 1);
  },
);

test.each(CALLS)(
  'a refused connection is answered with 503 to $call, and nothing was sent',
  async ({ body }) => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    await gateway.close();
    gateway = await startGateway({ nodeUrls: [`http://127.0.0.1:${port}/`] });
    const response = await post(gateway.rpcUrl, body);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: -32051 }, id: 7 });
  },
);
