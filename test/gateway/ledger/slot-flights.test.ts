import { expect, test } from 'vitest';
import { METHODS } from '../../../generated/ledger/methods.ts';
import { createAnswerCache } from '../../../src/gateway/ledger/cache/answer-cache.ts';
import type { LedgerReply } from '../../../src/gateway/ledger/outcome.ts';
import type { Call } from '../../../src/core/rpc/call.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { cacheByHand, callOf, context, reply, settle, textOf } from './cache-by-hand.ts';

const SLOT_METHODS = Object.values(METHODS)
  .filter(({ cache }) => cache === 'slot')
  .map(({ name }) => name);

/** A cache whose clock the test sets. */
function setUp(slotMs = 400) {
  const time = { nowMs: 1_000.5 };
  return { time, ...cacheByHand({ slotMs, nowMs: () => time.nowMs }) };
}

function clusterNodes(id: number): Call {
  return callOf('getClusterNodes', id);
}

async function statusOf(serving: Promise<LedgerReply>): Promise<string | undefined> {
  return (await serving).cacheStatus;
}

test.each(SLOT_METHODS)(
  '%s is answered from memory until a slot after it was asked for, not after it was answered',
  async (method) => {
    const { cached, pending, time } = setUp();
    const first = cached.serve(callOf(method, 1), context);
    time.nowMs += 300;
    pending[0]?.resolve(reply('"old"', 1));
    expect(await statusOf(first)).toBe('fwd=miss; stored');
    time.nowMs += 99;
    expect(await statusOf(cached.serve(callOf(method, 2), context))).toBe('hit');
    time.nowMs += 1;
    const later = cached.serve(callOf(method, 3), context);
    pending[1]?.resolve(reply('"new"', 3));
    expect(await textOf(later)).toContain('"new"');
    expect(await textOf(cached.serve(callOf(method, 4), context))).toContain('"new"');
    expect(pending).toHaveLength(2);
  },
);

test.each([
  [399, 1],
  [400, 2],
  [401, 2],
])('a call that comes %i ms after the first was sent makes it %i calls to the node', async (ms, sent) => {
  const { cached, pending, time } = setUp();
  const servings = [cached.serve(clusterNodes(1), context)];
  time.nowMs += ms;
  servings.push(cached.serve(clusterNodes(2), context));
  expect(pending).toHaveLength(sent);
  for (const [index, { resolve }] of pending.entries()) resolve(reply(`"answer ${index}"`, index + 1));
  expect(await Promise.all(servings.map(textOf))).toEqual([
    '{"jsonrpc":"2.0","result":"answer 0","id":1}',
    `{"jsonrpc":"2.0","result":"answer ${sent - 1}","id":2}`,
  ]);
});

test('an answer that takes longer than a slot goes to clients that came in time, and is not kept', async () => {
  const { cached, pending, time } = setUp();
  const servings = [1, 2].map((id) => cached.serve(clusterNodes(id), context));
  time.nowMs += 400;
  servings.push(cached.serve(clusterNodes(3), context));
  pending[0]?.resolve(reply('"slow"', 1));
  expect(await Promise.all(servings.slice(0, 2).map(statusOf))).toEqual(['fwd=miss', 'fwd=miss; collapsed']);
  servings.push(cached.serve(clusterNodes(4), context));
  pending[1]?.resolve(reply('"quick"', 3));
  expect(await textOf(servings[3] as Promise<LedgerReply>)).toBe('{"jsonrpc":"2.0","result":"quick","id":4}');
  expect(pending).toHaveLength(2);
});

test.each(['null', 'an error'])('%s is neither kept nor shared', async (kind) => {
  const { cached, pending } = setUp();
  const servings = [1, 2].map((id) => cached.serve(clusterNodes(id), context));
  if (kind === 'null') pending[0]?.resolve(reply('null', 1));
  else pending[0]?.reject(serviceError('upstreamUnavailable'));
  await Promise.allSettled(servings.slice(0, 1));
  await settle();
  pending[1]?.resolve(reply('"nodes"', 2));
  expect(await statusOf(servings[1] as Promise<LedgerReply>)).toBe('fwd=miss; stored');
});

test.each([
  ['processed', 'fwd=bypass'],
  ['max', 'fwd=bypass'],
  ['confirmed', 'fwd=miss; stored'],
  ['finalized', 'fwd=miss; stored'],
])('what is asked for at %s is answered with %s', async (commitment, status) => {
  const { cached, pending } = setUp();
  const serving = cached.serve(callOf('getBlockProduction', 1, JSON.stringify([{ commitment }])), context);
  pending[0]?.resolve(reply('{}', 1));
  expect(await statusOf(serving)).toBe(status);
});

test('slots of no time turn it off: nothing is kept, and calls at the same time go by themselves', async () => {
  const { cached, pending } = setUp(0);
  const servings = [1, 2].map((id) => cached.serve(clusterNodes(id), context));
  expect(pending).toHaveLength(2);
  for (const [index, { resolve }] of pending.entries()) resolve(reply('"nodes"', index + 1));
  expect(await Promise.all(servings.map(statusOf))).toEqual(['fwd=miss', 'fwd=miss']);
});

test('what holds for ever is still handed out when the clock has gone on for a year', async () => {
  const { cached, pending, time } = setUp();
  const first = cached.serve(callOf('getGenesisHash', 1), context);
  pending[0]?.resolve(reply('"hash"', 1));
  await first;
  time.nowMs += 365 * 86_400_000;
  expect(await statusOf(cached.serve(callOf('getGenesisHash', 2), context))).toBe('hit');
});

test('what is over does not push out what holds for ever', () => {
  const answers = createAnswerCache(16_000);
  const answer = { before: Buffer.alloc(1_000), after: Buffer.alloc(0) };
  answers.put('for ever', answer, { untilMs: Infinity, nowMs: 0 });
  const onePut = answers.sizeBytes();
  for (let nowMs = 0; nowMs < 10_000; nowMs += 100) {
    answers.put(`at ${nowMs}`, answer, { untilMs: nowMs + 100, nowMs });
    expect(answers.sizeBytes()).toBeLessThan(2.1 * onePut);
  }
  expect(answers.get('for ever', 10_000)).toBeDefined();
});
