import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import { createReplyMemory } from '../../../src/core/rpc/reply-memory.ts';
import { serviceError } from '../../../src/core/service-error.ts';
import { withBatchSupport } from '../../../src/gateway/nodes/open-upstream.ts';
import { poolOf } from './pool/pool-of.ts';
import type { UpstreamReply } from '../../../src/core/rpc/upstream-reply.ts';
import {
  type Upstream,
  type UpstreamRequest,
  BrokenConnection,
} from '../../../src/gateway/nodes/upstream.ts';
import { type BatchOutcome, withBatches } from '../../../src/gateway/nodes/with-batches.ts';

const MINUTE_MS = 60_000;
let nowMs = 0;

beforeEach(() => {
  nowMs = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const callOf = (id: string) => ({ id, raw: Buffer.from(`{"id":${id}}`) });
const replyTo = (id: string): string => `{"jsonrpc":"2.0","result":${id.length},"id":${id}}`;
const versionCall = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"getVersion"}`;
const broken = (cause: Error) => serviceError('upstreamBroken', {}, cause);
/** When everything has run that waits for nothing but promises. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));
const whole = (text: string): UpstreamReply => ({ kind: 'whole', body: Buffer.from(text), isError: false });

type Answer = (request: UpstreamRequest) => UpstreamReply | Promise<UpstreamReply>;

const isOurs = ({ body }: UpstreamRequest): boolean => body.includes('getVersion');

/** A node that takes batches, as far as ours can tell. */
const sound: Answer = ({ body, id }) =>
  whole(id === undefined ? `[${idsIn(body).map(replyTo).join()}]` : replyTo(id));

/** A node that takes none. */
const refusing: Answer = ({ id }) => {
  if (id === undefined) throw broken(new Error('the body is not what the call is answered with'));
  return whole(replyTo(id));
};

function idsIn(body: Buffer): readonly string[] {
  return (JSON.parse(body.toString()) as readonly { readonly id: unknown }[]).map(({ id }) =>
    JSON.stringify(id),
  );
}

/** A node with scripted answers, and the requests of clients and of the gateway that reached it. */
function playedNode(answer: Answer, answerOurs: Answer = sound) {
  const seen: UpstreamRequest[] = [];
  const ours: UpstreamRequest[] = [];
  const node = withBatchSupport({
    send: async (request) => {
      (isOurs(request) ? ours : seen).push(request);
      return (isOurs(request) ? answerOurs : answer)(request);
    },
    close: async () => undefined,
  });
  return { node, seen, ours };
}

/** A client of a network of nodes. */
function clientOf(...nodes: readonly Upstream[]) {
  const upstream = withBatches(poolOf(nodes.map((upstream) => ({ upstream, has: () => true }))).upstream);
  const memory = createReplyMemory(1_000, 1_000);
  const owner = { signal: new CallSignal(), hold: memory.hold() };
  const send = (ids: readonly string[]) => upstream.sendBatched(ids.map(callOf), owner);
  return { send, memory, owner };
}

function nodeThat(answer: Answer, answerOurs: Answer = sound) {
  const { node, ...reached } = playedNode(answer, answerOurs);
  return { ...reached, ...clientOf(node) };
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

test('unless there is one reply to each call and nothing else, all are handed back', async () => {
  await fc.assert(
    fc.asyncProperty(ids, fc.constantFrom(...FAULTS), async (asked, spoil) => {
      const { send, ours } = nodeThat(() => whole(spoil(asked.map(replyTo))));
      expect((await send(asked)).map(textOf)).toEqual(asked.map(() => 'not-batched'));
      expect(ours.map(({ body }) => idsIn(body).length)).toEqual([asked.length]);
    }),
  );
});

test('a node that takes no batches gets none for a minute', async () => {
  const { send, seen, ours } = nodeThat(refusing, refusing);
  const alone = ['not-batched', 'not-batched', 'not-batched'];
  expect((await send(['1', '2', '3'])).map(textOf)).toEqual(alone);
  await settled();
  expect(ours.map(({ body, id }) => [id, body.toString()])).toEqual([
    [undefined, `[${['0', '1', '2'].map(versionCall).join()}]`],
    ['0', versionCall('0')],
  ]);
  nowMs += MINUTE_MS - 1;
  expect((await send(['1', '2', '3'])).map(textOf)).toEqual(alone);
  expect(seen).toHaveLength(1);
  nowMs += 1;
  await send(['1', '2', '3']);
  expect(seen).toHaveLength(2);
});

test('so does one that is silent when it is sent a batch', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const silent: Answer = ({ id, signal }) =>
    id === undefined ? new Promise((_, reject) => void signal.onAbort(reject)) : whole(replyTo(id));
  const { send, seen } = nodeThat(refusing, silent);
  await send(['1', '2']);
  await vi.advanceTimersByTimeAsync(5_000);
  await settled();
  await send(['1', '2']);
  expect(seen).toHaveLength(1);
});

test('of several nodes one that takes no batches is passed over, and takes their calls where no other is there', async () => {
  const [without, other] = [playedNode(refusing, refusing), playedNode(sound)];
  const { send, owner } = clientOf(without.node, other.node);
  owner.hold.release();
  for (let at = 0; at < 10; at += 1) {
    await send(['1', '2']);
    await settled();
    nowMs += 1_500;
  }
  expect([without.seen.length, other.seen.length]).toEqual([1, 10]);
  expect([without.ours.length, other.ours.length]).toEqual([2, 0]);

  const busy = playedNode(() => {
    throw serviceError('upstreamBusy');
  });
  const rest = clientOf(without.node, busy.node);
  expect((await rest.send(['1', '2'])).map(textOf)).toEqual(['not-batched', 'not-batched']);
});

test('what one client puts into its batches takes them from nobody, and has a node asked once a second at most', async () => {
  const poisoned: Answer = (request) => (request.body.includes('poison') ? refusing : sound)(request);
  const { send, seen, ours, owner } = nodeThat(poisoned);
  owner.hold.release();
  for (let second = 1; second <= 3; second += 1) {
    for (let at = 0; at < 5; at += 1) {
      expect((await send(['"poison"', '2'])).map(textOf)).toEqual(['not-batched', 'not-batched']);
      await settled();
      expect((await send(['1', '2'])).map(textOf)).toEqual([replyTo('1'), replyTo('2')]);
    }
    expect(ours).toHaveLength(second);
    nowMs += 1_000;
  }
  expect(seen).toHaveLength(30);
});

test.each([
  ['answers nothing well', broken(new Error('status 503'))],
  ['cannot be reached', serviceError('upstreamUnavailable')],
  ['breaks off', broken(new BrokenConnection('broke'))],
  ['is late', serviceError('upstreamTimeout', { limitMs: 1 })],
])('a node that %s is not taken for one without batches', async (_what, error) => {
  const failing: Answer = () => {
    throw error;
  };
  const { send, seen, ours } = nodeThat(refusing, failing);
  await send(['1', '2']);
  await settled();
  expect(ours.length).toBeGreaterThan(0);
  await send(['1', '2']);
  expect(seen).toHaveLength(2);
});

test('one call is no batch', async () => {
  const { send, seen } = nodeThat(() => whole(''));
  expect([await send(['1']), await send([])]).toEqual([[{ kind: 'not-batched' }], []]);
  expect(seen).toEqual([]);
});

test.each([
  ['a batch that is too large', serviceError('callTooLarge'), 'not-batched', 2],
  ['a connection that breaks', broken(new BrokenConnection('broke')), 'not-batched', 2],
  ['an error page', broken(new Error('status 500')), 'not-batched', 2],
  ['a busy node', serviceError('upstreamBusy'), 'failure', 2],
  ['a node that is late', serviceError('upstreamTimeout', { limitMs: 1 }), 'failure', 2],
  ['a node that is gone', serviceError('upstreamUnavailable'), 'failure', 2],
  ['a client that leaves', new Error('left'), 'failure', 2],
])('%s is no rejection; the next batch is sent too', async (_what, error, kind, sent) => {
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
  expect((await send(['1', '2'])).map(textOf)).toEqual(['not-batched', 'not-batched']);
  owner.hold.release();
  expect(memory.heldBytes()).toBe(0);
});
