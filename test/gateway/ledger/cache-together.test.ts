import { expect, test } from 'vitest';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import type { CacheOutcome } from '../../../src/gateway/ledger/cache/with-cache.ts';
import type { Outcome } from '../../../src/gateway/ledger/outcome.ts';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { batchOf, cacheByHand, callOf, context, reply, settle, textOf } from './cache-by-hand.ts';

const HASH = 'getGenesisHash';
const BUSY: Outcome = { kind: 'failure', error: serviceError('upstreamBusy') };
const NOT_BATCHED: Outcome = { kind: 'not-batched' };

/** A cache by hand that also says what it counted. */
function counted() {
  const counts: CacheOutcome[] = [];
  return { ...cacheByHand({ onOutcome: (_method, outcome) => void counts.push(outcome) }), counts };
}

function summaryOf(outcome: Outcome | undefined): unknown {
  if (outcome?.kind !== 'whole') return outcome?.kind;
  return [outcome.body.toString(), outcome.cacheStatus];
}

const answer = (result: string, id: number): string => `{"jsonrpc":"2.0","result":${result},"id":${id}}`;

test('what is kept is answered from memory, the rest goes to the node together and is kept', async () => {
  const { cached, batches, pending, counts } = counted();
  const first = cached.serveBatch([callOf('getSlot', 1), callOf(HASH, 2), callOf('getVersion', 3)], context);
  expect(batches.map(({ calls }) => calls.map(({ id }) => id))).toEqual([['1', '2', '3']]);
  batches[0]?.resolve([reply('7', 1), reply('"hash"', 2), BUSY]);
  expect((await first).map(summaryOf)).toEqual([
    [answer('7', 1), undefined],
    [answer('"hash"', 2), 'fwd=miss; stored'],
    'failure',
  ]);
  const second = cached.serveBatch([callOf(HASH, 4), callOf('getBalance', 5)], context);
  expect(batches[1]?.calls.map(({ id }) => id)).toEqual(['5']);
  batches[1]?.resolve([reply('8', 5)]);
  expect((await second).map(summaryOf)).toEqual([
    [answer('"hash"', 4), 'hit'],
    [answer('8', 5), undefined],
  ]);
  expect([pending.length, counts.at(-1)]).toEqual([0, 'hit']);
});

test('calls for the same, in one batch, in another one and alone, go to the node once', async () => {
  const { cached, batches, pending, counts } = counted();
  const [first, second] = [
    cached.serveBatch([callOf(HASH, 1), callOf(HASH, 2)], context),
    cached.serveBatch([callOf(HASH, 3), callOf('getBalance', 4)], context),
  ];
  const single = cached.serve(callOf(HASH, 5), context);
  expect(batches.map(({ calls }) => calls.map(({ id }) => id))).toEqual([['1'], ['4']]);
  batches[1]?.resolve([reply('9', 4)]);
  batches[0]?.resolve([reply('"hash"', 1)]);
  expect((await first)?.map(summaryOf)).toEqual([
    [answer('"hash"', 1), 'fwd=miss; stored'],
    [answer('"hash"', 2), 'fwd=miss; collapsed'],
  ]);
  expect((await second)?.map(summaryOf)).toEqual([
    [answer('"hash"', 3), 'fwd=miss; collapsed'],
    [answer('9', 4), undefined],
  ]);
  expect(await textOf(single)).toBe(answer('"hash"', 5));
  expect([pending.length, [...counts].sort()]).toEqual([0, ['collapsed', 'collapsed', 'collapsed', 'miss']]);
});

test('a batch waits for a call that went alone', async () => {
  const { cached, batches, pending } = counted();
  const single = cached.serve(callOf(HASH, 1), context);
  const batch = cached.serveBatch([callOf(HASH, 2)], context);
  pending[0]?.resolve(reply('"hash"', 1));
  await single;
  expect((await batch).map(summaryOf)).toEqual([[answer('"hash"', 2), 'fwd=miss; collapsed']]);
  expect(batches).toEqual([]);
});

test.each<[string, Outcome]>([
  ['a null', reply('null', 1)],
  ['a failure', BUSY],
])('%s is not shared: those who waited go to the node together', async (_what, outcome) => {
  const { cached, batches } = counted();
  const batch = cached.serveBatch([callOf(HASH, 1), callOf(HASH, 2), callOf(HASH, 3)], context);
  batches[0]?.resolve([outcome]);
  await settle();
  expect(batches[1]?.calls.map(({ id }) => id)).toEqual(['2', '3']);
  batches[1]?.resolve([reply('"late"', 2), reply('"later"', 3)]);
  expect((await batch).slice(1).map(summaryOf)).toEqual([
    [answer('"late"', 2), 'fwd=miss; stored'],
    [answer('"later"', 3), 'fwd=miss; stored'],
  ]);
});

test('when the client of the flight leaves, waiting clients are served alone, and one of them leads', async () => {
  const { cached, batches, counts } = counted();
  const leaver = new CallSignal();
  const left = cached.serveBatch([callOf(HASH, 1), callOf(HASH, 2)], { ...context, signal: leaver });
  const waiting = cached.serveBatch([callOf(HASH, 3)], context);
  leaver.abort(new Error('left'));
  expect((await left).map(summaryOf)).toEqual(['failure', 'failure']);
  expect(await waiting).toEqual([NOT_BATCHED]);
  expect([batches.length, counts]).toEqual([1, ['miss']]);
});

test('a flight handed back has not been counted, and one of the waiting clients takes its place', async () => {
  const { cached, batches, pending, counts } = counted();
  const batch = cached.serveBatch([callOf(HASH, 1), callOf('getSlot', 2), callOf('getBalance', 3)], context);
  const waiting = [4, 5].map((id) => cached.serve(callOf(HASH, id), context));
  batches[0]?.resolve([NOT_BATCHED, NOT_BATCHED, NOT_BATCHED]);
  expect(await batch).toEqual([NOT_BATCHED, NOT_BATCHED, NOT_BATCHED]);
  await settle();
  expect([pending.map(({ call }) => call.id), counts]).toEqual([['4'], ['miss']]);
  pending[0]?.resolve(reply('"hash"', 4));
  expect(await Promise.all(waiting.map(textOf))).toEqual([answer('"hash"', 4), answer('"hash"', 5)]);
});

test('without room to hold a large answer that is kept the call goes to the node', async () => {
  const { cached, batches, counts } = counted();
  const large = `"${'x'.repeat(100_000)}"`;
  const first = cached.serveBatch([callOf(HASH, 1)], context);
  batches[0]?.resolve([reply(large, 1)]);
  await first;
  const memory = createReplyMemory(1_000, 1_000);
  const second = cached.serveBatch([callOf(HASH, 2)], { ...context, hold: memory.hold() });
  batches[1]?.resolve([reply('"small"', 2)]);
  expect((await second).map(summaryOf)).toEqual([[answer('"small"', 2), 'fwd=bypass']]);
  expect([memory.heldBytes(), counts]).toEqual([0, ['miss', 'miss']]);
});

test('calls are kept under their own params, wherever these lie in a batch', async () => {
  const { cached, batches } = counted();
  const first = cached.serveBatch(batchOf('getTransaction', ['["one"]', '["other"]']), context);
  batches[0]?.resolve([reply('"one"', 1), reply('"other"', 2)]);
  await first;
  const second = await cached.serveBatch(batchOf('getTransaction', ['["other"]', '["one"]']), context);
  expect(second.map(summaryOf)).toEqual([
    [answer('"other"', 1), 'hit'],
    [answer('"one"', 2), 'hit'],
  ]);
  expect(await textOf(cached.serve(callOf('getTransaction', 3, '["one"]'), context))).toBe(
    answer('"one"', 3),
  );
});

test('what the spec lets be kept, but not at this commitment, goes past the cache and is no miss', async () => {
  const { cached, batches, counts } = counted();
  const calls = batchOf('getTransaction', ['["one",{"commitment":"confirmed"}]', '["other"]']);
  const batch = cached.serveBatch(calls, context);
  expect(batches[0]?.calls).toHaveLength(2);
  batches[0]?.resolve([reply('"one"', 1), reply('"other"', 2)]);
  expect((await batch).map((outcome) => 'cacheStatus' in outcome && outcome.cacheStatus)).toEqual([
    'fwd=bypass',
    'fwd=miss; stored',
  ]);
  expect(counts).toEqual(['miss']);
});

test('answers from memory that wait for the others are held meanwhile, and refused where there is no room', async () => {
  const { cached, batches } = counted();
  const first = cached.serveBatch([callOf(HASH, 1)], context);
  batches[0]?.resolve([reply('"hash"', 1)]);
  await first;
  const sizeBytes = answer('"hash"', 2).length;
  const memory = createReplyMemory(2 * sizeBytes + 1, 1_000_000);
  const waiting = { ...context, signal: new CallSignal(), hold: memory.hold() };
  const calls = [2, 3, 4].map((id) => callOf(HASH, id));
  const second = cached.serveBatch([...calls, callOf('getBalance', 5)], waiting);
  expect(memory.heldBytes()).toBe(2 * sizeBytes);
  batches[1]?.resolve([reply('8', 5)]);
  expect((await second).map(({ kind }) => kind)).toEqual(['whole', 'whole', 'failure', 'whole']);
  expect((await second)[0]).toMatchObject({ isHeld: true });
  waiting.hold.release();
  expect(memory.heldBytes()).toBe(0);
});

test('an internal fault keeps nobody waiting for ever', async () => {
  const { cached, batches, pending } = counted();
  const broken = cached.serveBatch([callOf(HASH, 1)], context);
  const single = cached.serve(callOf(HASH, 2), context);
  batches[0]?.reject(new Error('an internal fault'));
  await expect(broken).rejects.toThrow('an internal fault');
  await settle();
  pending[0]?.resolve(reply('"hash"', 2));
  expect(await textOf(single)).toBe(answer('"hash"', 2));
});
