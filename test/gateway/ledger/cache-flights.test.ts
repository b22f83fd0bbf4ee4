import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import { createAnswerCache } from '../../../src/gateway/ledger/cache/answer-cache.ts';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';
import type { LedgerReply } from '../../../src/gateway/ledger/outcome.ts';
import type { Call } from '../../../src/core/rpc/call.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { type ByHand, cacheByHand, callOf, context, reply, settle, textOf } from './cache-by-hand.ts';

function genesisHash(id: number): Call {
  return callOf('getGenesisHash', id);
}

test('calls for the same at the same time go to the node once, and each is answered under its own id', async () => {
  const { cached, pending } = cacheByHand();
  const serving = [1, 2, 3, 4].map((id) => cached.serve(genesisHash(id), context));
  expect(pending.length).toBe(1);
  pending[0]?.resolve(reply('"hash"', 1));
  expect(await Promise.all(serving.map(textOf))).toEqual(
    [1, 2, 3, 4].map((id) => `{"jsonrpc":"2.0","result":"hash","id":${id}}`),
  );
  expect((await Promise.all(serving)).map(({ cacheStatus }) => cacheStatus)).toEqual([
    'fwd=miss; stored',
    ...Array(3).fill('fwd=miss; collapsed'),
  ]);
  expect(pending.length).toBe(1);
});

test('a null is not shared: each call gets an answer of its own', async () => {
  const { cached, pending } = cacheByHand();
  const serving = [1, 2].map((id) => cached.serve(genesisHash(id), context));
  pending[0]?.resolve(reply('null', 1));
  await settle();
  pending[1]?.resolve(reply('"later"', 2));
  expect(await Promise.all(serving.map(textOf))).toEqual([
    '{"jsonrpc":"2.0","result":null,"id":1}',
    '{"jsonrpc":"2.0","result":"later","id":2}',
  ]);
});

test('a failure is not shared', async () => {
  const { cached, pending } = cacheByHand();
  const [first, second] = [1, 2].map((id) => cached.serve(genesisHash(id), context));
  pending[0]?.reject(serviceError('upstreamUnavailable'));
  await expect(first).rejects.toMatchObject({ code: 'upstreamUnavailable' });
  pending[1]?.resolve(reply('"hash"', 2));
  expect((await second)?.kind).toBe('whole');
});

test('when the client whose call went to the node leaves, one of the others goes in its place', async () => {
  const { cached, pending } = cacheByHand();
  const leaver = new CallSignal();
  const first = cached.serve(genesisHash(1), { ...context, signal: leaver });
  const others = [2, 3].map((id) => cached.serve(genesisHash(id), context));
  leaver.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  await settle();
  expect(pending.map(({ call }) => call.id)).toEqual(['1', '2']);
  pending[1]?.resolve(reply('"hash"', 2));
  expect((await Promise.all(others.map(textOf)))[1]).toBe('{"jsonrpc":"2.0","result":"hash","id":3}');
});

test('entries from before the ledger started again are out of reach, also if they arrive later', async () => {
  let generation = 0;
  const { cached, pending } = cacheByHand({ generation: () => generation });
  const before = cached.serve(genesisHash(1), context);
  generation = 1;
  pending[0]?.resolve(reply('"old"', 1));
  await before;
  const after = cached.serve(genesisHash(2), context);
  pending[1]?.resolve(reply('"new"', 2));
  expect(await textOf(after)).toContain('"new"');
});

const LARGE_BYTES = 100_000;

function largeReply(id: number): LedgerReply {
  const body = Buffer.from(`{"jsonrpc":"2.0","result":"${'x'.repeat(LARGE_BYTES)}","id":${id}}`);
  return { kind: 'stream', body: Readable.from([body], { objectMode: false }), sizeBytes: body.length };
}

/** Serves a call for the hash from a large reply of the node, or from the cache; what the request holds for it. */
async function serveLarge({ cached, pending }: ByHand, roomBytes: number) {
  const memory = createReplyMemory(roomBytes, roomBytes);
  const asked = pending.length;
  const hold = memory.hold();
  const serving = cached.serve(genesisHash(1), { ...context, hold });
  pending[asked]?.resolve(largeReply(1));
  const { kind, cacheStatus, ...served } = await serving;
  const rest = 'body' in served && served.body instanceof Readable ? served.body.resume() : undefined;
  await (rest && once(rest, 'close'));
  return [kind, cacheStatus, memory.heldBytes(), pending.length - asked];
}

test('a large answer is held by its request, from the node and from the cache: a slow client keeps it', async () => {
  const run = cacheByHand();
  const heldBytes = Number((largeReply(1) as { sizeBytes: number }).sizeBytes);
  expect(await serveLarge(run, heldBytes)).toEqual(['whole', 'fwd=miss; stored', heldBytes, 1]);
  expect(await serveLarge(run, heldBytes)).toEqual(['stream', 'hit', heldBytes, 0]);
});

test('without room to hold it a large answer is streamed from the node, and not kept', async () => {
  const run = cacheByHand();
  expect(await serveLarge(run, LARGE_BYTES)).toEqual(['stream', 'fwd=miss', 0, 1]);
  expect((await serveLarge(run, 2 * LARGE_BYTES))[1]).toBe('fwd=miss; stored');
  expect(await serveLarge(run, LARGE_BYTES)).toEqual(['stream', 'fwd=bypass', 0, 1]);
});

const FOREVER = { untilMs: Infinity, nowMs: 0 };

test('the cache never holds more bytes than it may, and forgets the oldest first', () => {
  const answers = createAnswerCache(16_000);
  const answer = { before: Buffer.alloc(1_000), after: Buffer.alloc(0) };
  for (let index = 0; index < 100; index++) {
    answers.put(String(index), answer, FOREVER);
    expect(answers.sizeBytes()).toBeLessThanOrEqual(16_000);
  }
  expect(answers.get('99', 0)).toBe(answer);
  expect(answers.get('0', 0)).toBeUndefined();
});

test('an answer of an eighth of the cache is kept, a larger one is not', () => {
  const answers = createAnswerCache(16_000);
  answers.put('fits', { before: Buffer.alloc(1_000), after: Buffer.alloc(1_000) }, FOREVER);
  answers.put('does not', { before: Buffer.alloc(1_001), after: Buffer.alloc(1_000) }, FOREVER);
  expect(answers.get('fits', 0)).toBeDefined();
  expect(answers.get('does not', 0)).toBeUndefined();
});
