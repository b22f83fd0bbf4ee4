import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { PLANS } from '../../../generated/plans.ts';
import { mostAtOnce, withExpensiveBounds } from '../../../src/server/access/with-expensive-bounds.ts';
import type { Ledger } from '../../../src/gateway/ledger/ledger.ts';
import type { LedgerReply } from '../../../src/gateway/ledger/outcome.ts';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import type { Call } from '../../../src/core/rpc/call.ts';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';

const PLAN = { name: 'developer', requestsPerSecond: 100, burst: 500 };
const LIMIT = 4;
const BYTES = LIMIT * PLANS.expensive_calls.answer_bytes_each;

const contextOf = (keyId = 'k1') => ({
  keyId,
  accountId: 'a',
  signal: new CallSignal(),
  hold: createReplyMemory(1, 1).hold(),
});

const callOf = (method: string, params: unknown = []): Call => ({
  method,
  params,
  paramsAt: undefined,
  id: '1',
  raw: Buffer.from('{}'),
  idIsPlain: true,
  isNotification: false,
});

/** A ledger whose calls are answered when the test says so. */
function bounded() {
  const waiting: ((reply: LedgerReply) => void)[] = [];
  const refusals: string[] = [];
  const ledger: Ledger = {
    serve: () => new Promise((resolve) => waiting.push(resolve)),
    serveBatch: async (calls) => calls.map(() => ({ kind: 'result', json: '1' })),
  };
  const bounds = withExpensiveBounds(ledger, {
    planOf: () => PLAN,
    onRefusal: (plan, code) => refusals.push(`${plan} ${code}`),
  });
  return { ...bounds, waiting, refusals };
}

const SMALL: LedgerReply = { kind: 'result', json: '1' };
const streamOf = (sizeBytes: number | undefined, chunks: readonly Buffer[] = []): LedgerReply => ({
  kind: 'stream',
  body: Readable.from(chunks),
  sizeBytes,
});

test('a key has as many expensive calls in progress as its plan allows; the next is refused with limit and remedy', async () => {
  const { serve, waiting, refusals } = bounded();
  const running = Array.from({ length: LIMIT }, () => serve(callOf('getProgramAccounts'), contextOf()));
  await expect(serve(callOf('getProgramAccounts'), contextOf())).rejects.toMatchObject({
    code: 'tooManyExpensiveCalls',
    message: expect.stringMatching(/allows 4 calls such as getProgramAccounts.*wait for one to end, or ask/),
  });
  expect(refusals).toEqual(['developer tooManyExpensiveCalls']);
  void serve(callOf('getProgramAccounts'), contextOf('k2'));
  void serve(callOf('getSlot'), contextOf());
  expect(waiting).toHaveLength(LIMIT + 2);
  waiting[0]?.(SMALL);
  await running[0];
  void serve(callOf('getProgramAccounts'), contextOf());
  expect(waiting).toHaveLength(LIMIT + 3);
});

test.each([
  ['getBlocks', [0, 10_000], false],
  ['getBlocks', [0, 10_001], true],
  ['getBlocks', [0], true],
  ['getBlocksWithLimit', [0, 10_000], false],
  ['getBlocksWithLimit', [0, 10_001], true],
  ['getLargestAccounts', [], true],
  ['getBalance', ['x'], false],
])('%s with %j is expensive: %s', async (method, params, isExpensive) => {
  const { serve, serveBatch, waiting } = bounded();
  for (let call = 0; call < LIMIT + 1; call++)
    serve(callOf(method, params), contextOf()).catch(() => undefined);
  expect(waiting).toHaveLength(isExpensive ? LIMIT : LIMIT + 1);
  const [outcome] = await serveBatch([callOf(method, params)], contextOf());
  expect(outcome?.kind).toBe(isExpensive ? 'not-batched' : 'result');
});

test('answers in progress are bounded in bytes, and free them when they have been read or broken off', async () => {
  const { serve, waiting } = bounded();
  const first = serve(callOf('getProgramAccounts'), contextOf());
  waiting[0]?.(streamOf(BYTES - 10, [Buffer.from('x')]));
  const reply = await first;
  const second = serve(callOf('getProgramAccounts'), contextOf());
  waiting[1]?.(streamOf(11));
  await expect(second).rejects.toMatchObject({
    code: 'expensiveAnswerTooLarge',
    context: { limit: BYTES, value: BYTES + 1, policy: 'developer' },
  });
  if (reply.kind === 'stream') await text(reply.body);
  await new Promise((resolve) => setImmediate(resolve));
  const third = serve(callOf('getProgramAccounts'), contextOf());
  waiting[2]?.(streamOf(BYTES));
  expect((await third).kind).toBe('stream');
});

test('an answer that announces no size breaks off where it becomes too large', async () => {
  const { serve, waiting } = bounded();
  const asked = serve(callOf('getProgramAccounts'), contextOf());
  const chunk = Buffer.alloc(BYTES / 2);
  waiting[0]?.(streamOf(undefined, [chunk, chunk, Buffer.from('x')]));
  const reply = await asked;
  if (reply.kind !== 'stream') throw new Error('no stream');
  let read = 0;
  await expect(async () => {
    for await (const part of reply.body) read += (part as Buffer).length;
  }).rejects.toMatchObject({ code: 'expensiveAnswerTooLarge' });
  expect(read).toBeLessThanOrEqual(BYTES);
});

test.each([
  [1, 2],
  [50, 2],
  [75, 3],
  [1_000, 40],
])('a plan of %i a second has %i at once', (requestsPerSecond, most) => {
  expect(mostAtOnce({ requestsPerSecond })).toBe(most);
});
