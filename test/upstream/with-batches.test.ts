import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallSignal } from '../../src/call-signal.ts';
import { createReplyMemory } from '../../src/ledger/reply-memory.ts';
import { serviceError } from '../../src/service-error.ts';
import { BrokenConnection } from '../../src/upstream/broken-connection.ts';
import type { UpstreamReply, UpstreamRequest } from '../../src/upstream/upstream.ts';
import { type BatchOutcome, withBatches } from '../../src/upstream/with-batches.ts';

const MINUTE_MS = 60_000;
let nowMs = 0;

beforeEach(() => {
  nowMs = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => void vi.restoreAllMocks());

const callOf = (id: string) => ({ id, raw: Buffer.from(`{"id":${id}}`) });
const replyTo = (id: string): string => `{"jsonrpc":"2.0","result":${id.length},"id":${id}}`;
const whole = (text: string): UpstreamReply => ({ kind: 'whole', body: Buffer.from(text), isError: false });

/** A node that answers as it is told, and what reached it. */
function nodeThat(answer: (request: UpstreamRequest) => UpstreamReply) {
  const seen: UpstreamRequest[] = [];
  const upstream = withBatches({
    send: async (request) => {
      seen.push(request);
      return answer(request);
    },
    close: async () => undefined,
  });
  const memory = createReplyMemory(1_000, 1_000);
  const owner = { signal: new CallSignal(), hold: memory.hold() };
  const send = (ids: readonly string[]) => upstream.sendTogether(ids.map(callOf), owner);
  return { seen, send, memory, owner };
}

function textOf(outcome: BatchOutcome): string {
  return outcome.kind === 'whole' ? outcome.body.toString() : outcome.kind;
}

test('calls go as one batch, in their own bytes, and the replies are held', async () => {
  const replies = `[${replyTo('1')}, ${replyTo('"x"')} ]`;
  const { seen, send, memory, owner } = nodeThat(() => whole(replies));
  expect((await send(['1', '"x"'])).map(textOf)).toEqual([replyTo('1'), replyTo('"x"')]);
  expect(seen.map(({ body, method, id }) => [body.toString(), method, id])).toEqual([
    ['[{"id":1},{"id":"x"}]', 'batch', undefined],
  ]);
  expect(seen[0]?.signal).toBe(owner.signal);
  expect(memory.heldBytes()).toBe(replies.length);
});

test('whether a reply is an error is its own matter', async () => {
  const { send } = nodeThat(() => whole(`[{"error":{},"id":1},${replyTo('2')}]`));
  expect(await send(['1', '2'])).toMatchObject([
    { isError: true, isHeld: true },
    { isError: false, isHeld: true },
  ]);
});

const ids = fc.uniqueArray(
  fc.oneof(
    fc.nat().map(String),
    fc.string().map((text) => JSON.stringify(text)),
    fc.constant('null'),
  ),
  {
    minLength: 2,
    maxLength: 12,
  },
);

test('in whatever order a node answers, each call gets its own reply', async () => {
  const shuffled = ids.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  await fc.assert(
    fc.asyncProperty(shuffled, async ([asked, answered]) => {
      const { send } = nodeThat(() => whole(`[${answered.map(replyTo).join()}]`));
      expect((await send(asked)).map(textOf)).toEqual(asked.map(replyTo));
    }),
  );
});

const FAULTS: readonly ((replies: string[]) => string)[] = [
  (replies) => `[${replies.slice(1).join()}]`,
  (replies) => `[${[...replies, ...replies.slice(0, 1)].join()}]`,
  (replies) => `[${[...replies.slice(1), ...replies.slice(-1)].join()}]`,
  (replies) => `[${[...replies.slice(1), replyTo('"another call"')].join()}]`,
  (replies) => `[${[...replies.slice(1), '{"error":{},"id":"\\u0000null"}'].join()}]`,
  (replies) => `[${[...replies.slice(1), '{"result":1}'].join()}]`,
  (replies) => `[${[...replies.slice(1), '1'].join()}]`,
  (replies) => `[${replies.join().replace('"result"', '"result":1,"error"')}]`,
  ([first = '', ...others]) =>
    `[${[first.replace('"id"', `"id":${first.slice(first.indexOf('"id":') + 5, -1)},"id"`), ...others].join()}]`,
  (replies) => `[${replies.join()}`,
  (replies) => `[${replies.join()}]]`,
  (replies) => replies.join(),
  () => '[]',
  () => '',
];

test('unless there is one reply to each call and nothing else, all are handed back, and the node gets no batch for a minute', async () => {
  await fc.assert(
    fc.asyncProperty(ids, fc.constantFrom(...FAULTS), async (asked, spoil) => {
      const { send, seen } = nodeThat(() => whole(spoil(asked.map(replyTo))));
      const alone = asked.map(() => 'alone');
      expect((await send(asked)).map(textOf)).toEqual(alone);
      nowMs += MINUTE_MS - 1;
      expect((await send(asked)).map(textOf)).toEqual(alone);
      expect(seen).toHaveLength(1);
      nowMs += 1;
      await send(asked);
      expect(seen).toHaveLength(2);
    }),
  );
});

test('one call is no batch', async () => {
  const { send, seen } = nodeThat(() => whole(''));
  expect([await send(['1']), await send([])]).toEqual([[{ kind: 'alone' }], []]);
  expect(seen).toEqual([]);
});

const broken = (cause: Error) => serviceError('upstreamBroken', {}, cause);

test.each([
  ['a batch that is too large', serviceError('callTooLarge'), 'alone', 2],
  ['a connection that breaks', broken(new BrokenConnection('broke')), 'alone', 2],
  ['an error page', broken(new Error('status 500')), 'alone', 1],
  ['a busy node', serviceError('upstreamBusy'), 'failure', 2],
  ['a node that is late', serviceError('upstreamTimeout', { limitMs: 1 }), 'failure', 2],
  ['a node that is gone', serviceError('upstreamUnavailable'), 'failure', 2],
  ['a client that leaves', new Error('left'), 'failure', 2],
])('%s is no rejection; of two batches so many are sent', async (_what, error, kind, sent) => {
  const { send, seen } = nodeThat(() => {
    throw error;
  });
  const expected = kind === 'failure' ? { kind, error } : { kind };
  expect(await send(['1', '2'])).toEqual([expected, expected]);
  await send(['1', '2']);
  expect(seen).toHaveLength(sent);
});

test('replies that are too large to be held together are asked for alone', async () => {
  const { send, memory, owner } = nodeThat(() =>
    whole(`[${replyTo('1')},${replyTo('2')}]${' '.repeat(1_000)}`),
  );
  expect((await send(['1', '2'])).map(textOf)).toEqual(['alone', 'alone']);
  owner.hold.release();
  expect(memory.heldBytes()).toBe(0);
});
