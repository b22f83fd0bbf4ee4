import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import type { CheckRequest } from '../../../../src/gateway/ledger/drift/check-request.ts';
import type { Finding } from '../../../../src/gateway/ledger/drift/finding.ts';
import { NodeSamples, type SampleOutcome } from '../../../../src/gateway/ledger/drift/node-samples.ts';
import { SampleRoom } from '../../../../src/gateway/ledger/drift/sample-room.ts';
import { LentStream } from '../../../../src/core/rpc/zero-copy-stream.ts';
import type { UpstreamReply } from '../../../../src/core/rpc/upstream-reply.ts';
import { BATCH, type Upstream, type UpstreamRequest } from '../../../../src/gateway/nodes/upstream.ts';

const FINDING: Finding = { kind: 'member', name: 'getSlot.newMember' };

/** The request to a check, as text. */
type Asked = {
  readonly kind: string;
  readonly name?: string;
  readonly calls?: string;
  readonly text: string;
};

function asked(request: CheckRequest): Asked {
  const text = String(Buffer.concat(request.parts));
  if (request.kind === 'reply') return { kind: 'reply', name: request.method, text };
  return request.kind === 'batch'
    ? { kind: 'batch', calls: String(Buffer.from(request.calls)), text }
    : { kind: 'notification', text };
}

function open(bounds: { readonly maxAnswers?: number; readonly maxBytes?: number } = {}) {
  const checks: { readonly request: Asked; readonly settle: (findings?: readonly Finding[]) => void }[] = [];
  const found: Finding[] = [];
  const outcomes: SampleOutcome[] = [];
  const room = new SampleRoom({
    maxAnswers: 8,
    maxBytes: 1_000,
    maxAnswerBytes: 500,
    nowMs: () => 0,
    ...bounds,
  });
  const samples = new NodeSamples({
    room,
    thread: {
      check: (request) =>
        new Promise((settle) => checks.push({ request: asked(request), settle: (all) => settle(all) })),
      close: async () => undefined,
    },
    random: () => 0,
    onFindings: (findings) => found.push(...findings),
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  return { samples, room, checks, found, outcomes };
}

function request(method: UpstreamRequest['method'], body = '{}'): UpstreamRequest {
  const id = method === BATCH ? undefined : '1';
  return { body: Buffer.from(body), method, id, signal: new CallSignal() };
}

function whole(text: string): UpstreamReply {
  return { kind: 'whole', body: Buffer.from(text), isError: false };
}

function stream(sizeBytes?: number) {
  const seen = { wanted: 0, destroyed: 0 };
  const body = new LentStream({
    highWaterMark: 8,
    onWanted: () => {
      seen.wanted += 1;
    },
    destroy: () => {
      seen.destroyed += 1;
    },
  });
  const reply: UpstreamReply = { kind: 'stream', body, sizeBytes };
  return { seen, body, reply };
}

/** Until what was settled has been heard of. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a whole reply is copied, checked under its method, and its memory given back when that is over', async () => {
  const { samples, room, checks, found, outcomes } = open();
  const reply = whole('{"result":5}');
  samples.takeReply(request('getSlot'), reply);
  if (reply.kind === 'whole') reply.body.fill('!');
  expect(checks.map((each) => each.request)).toEqual([
    { kind: 'reply', name: 'getSlot', text: '{"result":5}' },
  ]);
  expect([room.answers, room.bytes]).toEqual([1, 12]);
  checks[0]?.settle([FINDING]);
  await settled();
  expect([room.answers, room.bytes, found, outcomes]).toEqual([0, 0, [FINDING], ['checked']]);
});

test('the second answer of a method waits for its turn, the first of another does not', () => {
  const { samples, checks } = open();
  for (const method of ['getSlot', 'getSlot', 'getBalance', 'getBalance'] as const)
    samples.takeReply(request(method), whole('{}'));
  expect(checks.map((each) => each.request.name)).toEqual(['getSlot', 'getBalance']);
  for (let tick = 0; tick < 3; tick++) samples.tick();
  samples.takeReply(request('getSlot'), whole('{}'));
  expect(checks.map((each) => each.request.name)).toEqual(['getSlot', 'getBalance', 'getSlot']);
});

test('the replies to a batch come with its calls; a call without an id is answered with nothing', () => {
  const { samples, checks } = open();
  samples.takeReply(request(BATCH, '[{"id":1}]'), whole('[{"id":1,"result":2}]'));
  samples.takeReply({ ...request('getSlot'), id: undefined }, whole(''));
  expect(checks.map((each) => each.request)).toEqual([
    { kind: 'batch', calls: '[{"id":1}]', text: '[{"id":1,"result":2}]' },
  ]);
});

test('a stream is copied on its way to its reader, in parts that are overwritten, and checked at its end', async () => {
  for (const isBorrowed of [false, true]) {
    const { samples, checks, room } = open();
    const { body, reply, seen } = stream();
    body.lend(Buffer.from('first '));
    samples.takeReply(request('getBlock'), reply);
    expect([seen.wanted, checks.length]).toEqual([0, 0]);
    const taken: string[] = [];
    const over = isBorrowed
      ? body.borrow((part) => taken.push(String(part)) > 0)
      : buffer(body).then((bytes) => void taken.push(String(bytes)));
    body.read(0);
    const part = Buffer.from('last');
    body.lend(part);
    part.fill('!');
    expect(room.bytes).toBe(10);
    body.finish();
    await over;
    expect(taken.join('')).toMatch(/^first (last|!!!!)$/);
    expect(checks.map((each) => each.request.text)).toEqual(['first last']);
  }
});

test('a slow reader is waited for, and a stream that nobody reads asks for nothing', () => {
  const { samples } = open();
  const { body, reply, seen } = stream();
  samples.takeReply(request('getBlock'), reply);
  expect(seen.wanted).toBe(0);
  body.read(0);
  expect([body.lend(Buffer.from('four')), body.lend(Buffer.from('more'))]).toEqual([true, false]);
  expect(seen.wanted).toBe(1);
});

test('a stream that breaks off, or whose client leaves, fails as ever, and gives the copy back unchecked', async () => {
  const { samples, room, checks, outcomes } = open();
  const [broken, left] = [stream(), stream()];
  samples.takeReply(request('getBlock'), broken.reply);
  samples.takeReply(request('getTransaction'), left.reply);
  for (const { body } of [broken, left]) body.lend(Buffer.from('part'));
  expect([room.answers, room.bytes]).toEqual([2, 8]);
  const reading = expect(buffer(broken.body)).rejects.toThrow('it broke');
  broken.body.destroy(new Error('it broke'));
  left.body.destroy();
  await reading;
  await settled();
  expect([room.answers, room.bytes, checks.length, outcomes]).toEqual([0, 0, 0, ['dropped', 'dropped']]);
  expect([broken.seen.destroyed, left.seen.destroyed]).toEqual([1, 1]);
});

test('an answer larger than any room is not copied, and has had its turn; a stream of unknown size is given up', async () => {
  const { samples, room, checks, outcomes } = open();
  samples.takeReply(request('getBlock'), stream(501).reply);
  expect([samples.isDue('getBlock'), room.answers, outcomes]).toEqual([false, 0, ['dropped']]);
  const { body, reply } = stream();
  samples.takeReply(request('getTransaction'), reply);
  const read = buffer(body);
  body.read(0);
  for (let part = 0; part < 6; part++) body.lend(Buffer.alloc(100, 'x'));
  expect([room.answers, room.bytes]).toEqual([0, 0]);
  body.finish();
  expect((await read).length).toBe(600);
  expect(checks).toEqual([]);
});

test('without room the first answer of a method stays due', () => {
  const { samples, checks } = open({ maxAnswers: 1 });
  samples.takeReply(request('getSlot'), whole('{}'));
  samples.takeReply(request('getBalance'), whole('{}'));
  expect([checks.length, samples.isDue('getSlot'), samples.isDue('getBalance')]).toEqual([1, false, true]);
});

test('a stream of another kind is left alone', async () => {
  const { samples, room, checks } = open();
  const body = Readable.from([Buffer.from('{}')]);
  samples.takeReply(request('getBlock'), { kind: 'stream', body, sizeBytes: 2 });
  expect([room.answers, checks.length]).toEqual([0, 0]);
  expect(String(await buffer(body))).toBe('{}');
});

test('messages of a WebSocket: notifications by their names, replies by their methods, unknown names as one', () => {
  const { samples, checks } = open();
  const text = '{"method":"slotNotification"}';
  samples.takeMessage('notification', 'slotNotification', Buffer.from(text));
  samples.takeMessage('notification', 'slotNotification', Buffer.from(text));
  samples.takeMessage('reply', 'slotSubscribe', Buffer.from('{"result":1}'));
  for (const name of ['newNotification', 'newerNotification'])
    samples.takeMessage('notification', name, Buffer.from('{}'));
  expect(checks.map((each) => each.request)).toEqual([
    { kind: 'notification', text },
    { kind: 'reply', name: 'slotSubscribe', text: '{"result":1}' },
    { kind: 'notification', text: '{}' },
  ]);
});

test('an answer whose turn it is not goes by untouched: the very promise of the node is handed on', async () => {
  const { samples, checks } = open();
  const replies = [Promise.resolve(whole('{}')), Promise.resolve(whole('{}'))];
  const node: Upstream = {
    send: () => replies.shift() ?? Promise.reject(new Error('no more')),
    close: async () => undefined,
  };
  const [first, second] = [...replies];
  const watched = samples.watch(node);
  expect(await watched.send(request('getSlot'))).toBe(await first);
  expect(watched.send(request('getSlot'))).toBe(second);
  await expect(watched.send(request('getBalance'))).rejects.toThrow('no more');
  expect(checks).toHaveLength(1);
  expect(watched.close).toBe(node.close);
});
