import { EventEmitter, once } from 'node:events';
import { duplexPair } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import {
  RequestQueue,
  openLink,
  type SignerLink,
  pendingRequest,
} from '../../src/signer/client/request-queue.ts';
import { sharedLauncher, LINK_ID } from '../../src/signer/shared/shared-launcher.ts';
import { SignerRelay } from '../../src/signer/shared/start-shared-signer.ts';
import { encodeFrame, type Frame, FrameReader } from '../../src/signer/wire/frame.ts';
import { type Hello, parseHello } from '../../src/signer/wire/hello.ts';
import { OPERATIONS } from '../../src/signer/wire/operations.ts';

const HELLO = { kind: 'soft', identity: 'aa', keysPerRequest: 128 } as unknown as Hello;

/** A signer that keeps what it is sent. */
function openFake(isWritable = true) {
  const frames = new FrameReader();
  const sent: Frame[] = [];
  const link: SignerLink = {
    isWritable,
    send: (bytes) => void sent.push(...[...frames.take(Buffer.from(bytes))]),
    end: () => undefined,
  };
  return { link, sent };
}

/** A worker with a queue of its own, which opens the shared signer whenever it is gone. */
function openWorker(relay: SignerRelay) {
  const [far, near] = duplexPair();
  relay.add(far);
  const launcher = sharedLauncher(near);
  const queue = new RequestQueue({ nowMs: () => 0, onStuck: () => undefined });
  const opened: Hello[] = [];
  const refused: unknown[] = [];
  const events = new EventEmitter();
  let giveUp = (): void => undefined;
  const launch = (): void => {
    const { process, link } = launcher.launch();
    giveUp = () => void process.kill('SIGKILL');
    process.once('exit', () => {
      queue.detach();
      events.emit('lost');
      launch();
    });
    const { pending, answered } = pendingRequest(OPERATIONS.open, '{}', { id: 0, nowMs: 0 });
    void link.then((duplex) => {
      const signer = openLink(duplex, {
        onFrame: (frame) => (frame.id === 0 ? pending.settle(frame) : queue.take(frame)),
        onWritable: () => queue.resume(),
        onBroken: () => undefined,
      });
      signer.send(pending.encode(0));
      answered.then(
        (text) => {
          opened.push(parseHello(text));
          queue.attach(signer);
        },
        (error: unknown) => refused.push(error),
      );
    });
  };
  launch();
  return { queue, opened, refused, events, near, giveUp: () => giveUp() };
}

function openRelay({ isWritable = true } = {}) {
  const clock = { nowMs: 1 };
  const onStuck = vi.fn<() => void>();
  const relay = new SignerRelay({ nowMs: () => clock.nowMs, onStuck });
  const fake = openFake(isWritable);
  relay.greet(HELLO);
  relay.attach(fake.link);
  return { relay, clock, onStuck, ...fake };
}

const sentTo = (sent: readonly Frame[], count: number) =>
  eventually('the requests are with the signer', () => (sent.length === count ? sent : undefined));

test('workers whose requests have the same ids each get their own answers, in any order', async () => {
  const { relay, sent } = openRelay();
  const [one, other] = [openWorker(relay), openWorker(relay)];
  const keys = [one, other].map(({ queue }) => queue.call(OPERATIONS.auditPublicKey, undefined));
  const [first, second] = await sentTo(sent, 2);
  expect(first?.id).not.toBe(second?.id);
  const key = (byte: number) => Buffer.alloc(32, byte);
  relay.take({ id: second?.id ?? 0, code: 0, payload: key(2) });
  relay.take({ id: first?.id ?? 0, code: 0, payload: key(1) });
  expect((await Promise.all(keys)).map((bytes) => bytes[0]).toSorted()).toEqual([1, 2]);
  expect([one.opened[0]?.identity, other.opened[0]?.identity]).toEqual(['aa', 'aa']);
});

test('what a signer that died has not answered is sent to the next one, marked as repeated', async () => {
  const { relay, sent } = openRelay();
  const { queue, events } = openWorker(relay);
  const answered = queue.call(OPERATIONS.health, undefined);
  await sentTo(sent, 1);
  const lost = once(events, 'lost');
  relay.detach();
  await lost;
  const next = openFake();
  relay.attach(next.link);
  const [again] = await sentTo(next.sent, 1);
  expect(again?.payload[0]).toBe(1);
  // An answer of the dead one comes too late.
  relay.take({ id: sent[0]?.id ?? 0, code: 0, payload: Buffer.alloc(0) });
  relay.take({ id: again?.id ?? 0, code: 0, payload: Buffer.alloc(0) });
  await answered;
});

test('a worker that dies leaves the others their answers', async () => {
  const { relay, sent } = openRelay();
  const [gone, kept] = [openWorker(relay), openWorker(relay)];
  gone.queue.call(OPERATIONS.health, undefined).catch(() => undefined);
  await sentTo(sent, 1);
  const answered = kept.queue.call(OPERATIONS.health, undefined);
  await sentTo(sent, 2);
  gone.near.destroy();
  for (const { id } of sent) relay.take({ id, code: 0, payload: Buffer.alloc(0) });
  await answered;
});

test('workers that open a signer that is stopped are refused', async () => {
  const { relay } = openRelay();
  const early = openWorker(relay);
  await eventually('it is open', () => early.opened[0]);
  relay.close();
  const late = openWorker(relay);
  for (const { refused } of [early, late])
    expect(await eventually('it is refused', () => refused[0])).toMatchObject({ code: 'signerNotStarted' });
});

test('a signer that has answered nobody since the oldest request of a worker that gives it up is stuck', async () => {
  const { relay, sent, clock, onStuck } = openRelay();
  const [one, other] = [openWorker(relay), openWorker(relay)];
  const answered = [one, other].map(({ queue }) => queue.call(OPERATIONS.health, undefined));
  await sentTo(sent, 2);
  clock.nowMs = 2;
  one.giveUp();
  await eventually('it is stuck', () => onStuck.mock.calls[0]);
  // Nothing goes to the one that is about to be killed.
  const next = openFake();
  relay.attach(next.link);
  for (const { id } of await sentTo(next.sent, 2)) relay.take({ id, code: 0, payload: Buffer.alloc(0) });
  await Promise.all(answered);
  expect([sent.length, onStuck.mock.calls.length]).toEqual([2, 1]);
});

test('a signer that has answered another worker since is kept', async () => {
  const { relay, sent, clock, onStuck } = openRelay();
  const [one, other] = [openWorker(relay), openWorker(relay)];
  const waits = one.queue.call(OPERATIONS.health, undefined);
  await sentTo(sent, 1);
  clock.nowMs = 2;
  const answered = other.queue.call(OPERATIONS.health, undefined);
  const [, second] = await sentTo(sent, 2);
  relay.take({ id: second?.id ?? 0, code: 0, payload: Buffer.alloc(0) });
  await answered;
  one.giveUp();
  const [, , again] = await sentTo(sent, 3);
  relay.take({ id: again?.id ?? 0, code: 0, payload: Buffer.alloc(0) });
  await waits;
  expect(onStuck).not.toHaveBeenCalled();
});

test('a signer that takes no bytes and gives no answer for 10 s is stuck', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { relay, sent, onStuck } = openRelay({ isWritable: false });
  const [far, near] = duplexPair();
  relay.add(far);
  const ask = (id: number) => near.write(encodeFrame({ id, code: 2, payload: Buffer.alloc(1) }));
  ask(LINK_ID);
  ask(1);
  const [asked] = await sentTo(sent, 1);
  vi.advanceTimersByTime(9_000);
  relay.take({ id: asked?.id ?? 0, code: 0, payload: Buffer.alloc(0) });
  vi.advanceTimersByTime(9_999);
  expect(onStuck).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onStuck).toHaveBeenCalledOnce();
});
