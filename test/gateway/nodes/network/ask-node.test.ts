import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serviceError } from '../../../../src/core/service-error.ts';
import { askNode } from '../../../../src/gateway/nodes/network/ask-node.ts';
import type { UpstreamReply } from '../../../../src/core/rpc/upstream-reply.ts';
import type { Upstream, UpstreamRequest } from '../../../../src/gateway/nodes/upstream.ts';
import { playedNode, whole } from './played-node.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const replying = (reply: UpstreamReply): Upstream => ({
  send: async () => reply,
  close: () => Promise.resolve(),
});

test('a call of our own is JSON-RPC with an id that no client has, and needs no version', async () => {
  const requests: UpstreamRequest[] = [];
  const node: Upstream = {
    send: async (request) => {
      requests.push(request);
      return whole('{"jsonrpc":"2.0","id":"keyslot","result":[1]}');
    },
    close: () => Promise.resolve(),
  };
  expect(await askNode(node, 'getRecentPerformanceSamples', [5])).toEqual([1]);
  expect(requests).toMatchObject([{ method: 'getRecentPerformanceSamples', id: '"keyslot"' }]);
  expect(requests[0]?.needs).toBeUndefined();
  expect(JSON.parse(String(requests[0]?.body))).toEqual({
    jsonrpc: '2.0',
    id: 'keyslot',
    method: 'getRecentPerformanceSamples',
    params: [5],
  });
});

test.each([
  ['an error', '{"jsonrpc":"2.0","id":"keyslot","error":{"code":-32601,"message":"Method not found"}}'],
  ['nothing', ''],
  ['null', 'null'],
  ['a number', '7'],
  ['a text', '"4.4.0"'],
  ['a list', '[]'],
  ['half of a reply', '{"jsonrpc":"2.0","id":"keyslot","result":'],
  ['a page', '<html>'],
  ['what is nested too deeply', '['.repeat(100_000)],
])('%s is no result', async (_what, text) => {
  expect(await askNode(replying(whole(text)), 'getVersion')).toBeUndefined();
});

test('numbers keep their digits', async () => {
  const reply = whole('{"jsonrpc":"2.0","id":"keyslot","result":18446744073709551615}');
  expect(await askNode(replying(reply), 'getSlot')).toBe(18446744073709551615n);
});

test('an answer so large that it streams is none, and is not read', async () => {
  const body = new PassThrough();
  expect(
    await askNode(replying({ kind: 'stream', body, sizeBytes: undefined }), 'getVersion'),
  ).toBeUndefined();
  expect(body.destroyed).toBe(true);
  expect(() => body.emit('error', new Error('it broke off'))).not.toThrow();
});

test('a node that does not answer is given up after five seconds', async () => {
  const asked = askNode(
    playedNode(() => 'nothing'),
    'getVersion',
  );
  const outcome = asked.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome).toMatchObject({ code: 'upstreamTimeout', context: { limitMs: 5_000 } });
  expect(vi.getTimerCount()).toBe(0);
});

test('what the node fails with comes through, and no timer stays', async () => {
  const busy = serviceError('upstreamBusy');
  await expect(
    askNode(
      playedNode(() => ({ fails: busy })),
      'getSlot',
    ),
  ).rejects.toBe(busy);
  await askNode(
    playedNode(() => ({ result: 1 })),
    'getSlot',
  );
  expect(vi.getTimerCount()).toBe(0);
});
