import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RequestQueue, type SignerLink } from '../../src/signer/client/request-queue.ts';
import { encodeFailure } from '../../src/signer/wire/failures.ts';
import { type Frame, FrameReader } from '../../src/signer/wire/frame.ts';
import { OPERATIONS } from '../../src/signer/wire/operations.ts';
import { serviceError } from '../../src/core/service-error.ts';
import { standStill } from '../support/stand-still.ts';

const EMPTY = Buffer.alloc(0);
const HEALTH = OPERATIONS.health;

/** A signer that keeps what it is sent. */
function openFake(): { link: SignerLink; sent: Frame[]; isBlocked: boolean } {
  const frames = new FrameReader();
  const fake = {
    sent: [] as Frame[],
    isBlocked: false,
    link: {
      get isWritable() {
        return !fake.isBlocked;
      },
      send: (bytes: Buffer) => void fake.sent.push(...frames.take(bytes)),
      end: () => undefined,
    },
  };
  return fake;
}

function openQueue() {
  let nowMs = 0;
  let stuck = 0;
  const onStuck = (): void => {
    stuck += 1;
  };
  const queue = new RequestQueue({ nowMs: () => nowMs, onStuck });
  const advance = (byMs: number): void => {
    nowMs += byMs;
  };
  return { queue, advance, stuck: () => stuck };
}

const succeed = (id = 0): Frame => ({ id, code: 0, payload: EMPTY });
const isRepeat = ({ payload }: Frame): boolean => payload[0] === 1;
const quick = { ...HEALTH, deadlineMs: 5 };

test('a request waits for a signer and is then sent, with the time that it still has', async () => {
  const { queue, advance } = openQueue();
  const answered = queue.call(HEALTH, undefined);
  advance(4_000);
  const { link, sent } = openFake();
  queue.attach(link);
  expect(sent.map(({ payload }) => payload.readUInt32BE(1))).toEqual([6_000]);
  queue.take(succeed(sent[0]?.id));
  await answered;
});

test('what a signer did not answer goes to the next one, marked as repeated and before what came later', async () => {
  const { queue } = openQueue();
  const first = openFake();
  queue.attach(first.link);
  const lost = queue.call(HEALTH, undefined);
  queue.detach();
  const later = queue.call(HEALTH, undefined);
  const second = openFake();
  queue.attach(second.link);
  expect(second.sent.map(({ id }) => id)).toEqual([first.sent[0]?.id, (first.sent[0]?.id ?? 0) + 1]);
  expect([...first.sent, ...second.sent].map(isRepeat)).toEqual([false, true, false]);
  for (const { id } of second.sent) queue.take(succeed(id));
  await Promise.all([lost, later]);
});

test('a request that two signers died over is given up; the others are not', async () => {
  const { queue } = openQueue();
  queue.attach(openFake().link);
  const lost = queue.call(HEALTH, undefined);
  queue.detach();
  queue.attach(openFake().link);
  const once = queue.call(HEALTH, undefined);
  queue.detach();
  await expect(lost).rejects.toMatchObject({ code: 'signerUnavailable' });
  const third = openFake();
  queue.attach(third.link);
  queue.take(succeed(third.sent[0]?.id));
  await once;
});

test('no answer in time is an error, and a signer that said nothing since is stuck', async () => {
  const { queue, advance, stuck } = openQueue();
  queue.attach(openFake().link);
  advance(1);
  await expect(queue.call(quick, undefined)).rejects.toMatchObject({ code: 'signerUnavailable' });
  expect(stuck()).toBe(1);
});

test('an answer that came while this process stood still is taken, and the signer is not stuck', async () => {
  const { queue, advance, stuck } = openQueue();
  const { link, sent } = openFake();
  queue.attach(link);
  advance(1);
  // Timers are due before what has come is read.
  await setImmediate();
  const answered = queue.call({ ...HEALTH, deadlineMs: 40 }, undefined);
  void stat('.').then(() => queue.take(succeed(sent[0]?.id)));
  standStill(400);
  await answered;
  expect(stuck()).toBe(0);
});

test('a slow signer that answers others is not stuck, and its late answer is passed over', async () => {
  const { queue, advance, stuck } = openQueue();
  const { link, sent } = openFake();
  queue.attach(link);
  advance(1);
  const slow = queue.call(quick, undefined);
  const other = queue.call(HEALTH, undefined);
  advance(1);
  queue.take(succeed(sent[1]?.id));
  await other;
  await expect(slow).rejects.toMatchObject({ code: 'signerUnavailable' });
  queue.take(succeed(sent[0]?.id));
  expect(stuck()).toBe(0);
});

test('without a signer, a request ends at its deadline', async () => {
  const { queue, stuck } = openQueue();
  await expect(queue.call(quick, undefined)).rejects.toMatchObject({ code: 'signerUnavailable' });
  expect(stuck()).toBe(0);
});

test('the signer has 128 requests at a time, 4,096 wait, and the next is refused at once', async () => {
  const { queue } = openQueue();
  const { link, sent } = openFake();
  queue.attach(link);
  const calls = Array.from({ length: 128 + 4_096 }, () => queue.call(HEALTH, undefined));
  await expect(queue.call(HEALTH, undefined)).rejects.toMatchObject({ code: 'signerUnavailable' });
  expect(sent).toHaveLength(128);
  for (let index = 0; index < sent.length; index += 1) queue.take(succeed(sent[index]?.id));
  await Promise.all(calls);
});

const of = (accountId: string, keys = 1) => ({ accountId, keys });
const call = (queue: RequestQueue, accountId: string, keys?: number): Promise<unknown> =>
  queue.call(HEALTH, undefined, undefined, of(accountId, keys));

test('accounts take turns, however much one of them has asked before', async () => {
  const { queue } = openQueue();
  const many = Array.from({ length: 1_000 }, () => call(queue, 'many'));
  const others = [call(queue, 'one'), call(queue, 'two')];
  const { link, sent } = openFake();
  queue.attach(link);
  // The first requests that a signer is sent: one of each account.
  for (const { id } of sent.slice(0, 3)) queue.take(succeed(id));
  await Promise.all([many[0], ...others]);
  for (let index = 3; index < sent.length; index += 1) queue.take(succeed(sent[index]?.id));
  await Promise.all(many);
});

test('an account has 64 requests and 512 keys with the signer at a time; what others ask is sent at once', async () => {
  const { queue } = openQueue();
  const { link, sent } = openFake();
  queue.attach(link);
  const many = Array.from({ length: 200 }, () => call(queue, 'many'));
  const large = Array.from({ length: 9 }, () => call(queue, 'large', 128));
  expect(sent).toHaveLength(64 + 4);
  const other = call(queue, 'one');
  expect(sent).toHaveLength(64 + 4 + 1);
  for (let index = 0; index < sent.length; index += 1) queue.take(succeed(sent[index]?.id));
  await Promise.all([...many, ...large, other]);
});

test('where too many wait, the account that has most of them is refused', async () => {
  const { queue } = openQueue();
  const many = Array.from({ length: 4_096 }, () => call(queue, 'many'));
  const other = call(queue, 'one');
  await expect(many.at(-1)).rejects.toMatchObject({ code: 'signerUnavailable' });
  await expect(call(queue, 'many')).rejects.toMatchObject({ code: 'signerUnavailable' });
  const { link, sent } = openFake();
  queue.attach(link);
  for (let index = 0; index < sent.length; index += 1) queue.take(succeed(sent[index]?.id));
  await Promise.all([...many.slice(0, -1), other]);
});

test('an account whose requests are given up has its share again', async () => {
  const { queue } = openQueue();
  const { link, sent } = openFake();
  queue.attach(link);
  const leaving = new AbortController();
  const left = Array.from({ length: 64 }, () => queue.call(HEALTH, undefined, leaving.signal, of('many')));
  const later = call(queue, 'many');
  expect(sent).toHaveLength(64);
  leaving.abort(new Error('the client has left'));
  await Promise.allSettled(left);
  queue.take(succeed(sent[64]?.id));
  await later;
  queue.detach();
  queue.attach(link);
  const again = call(queue, 'many');
  queue.take(succeed(sent.at(-1)?.id));
  await again;
});

test('nothing is sent to a signer that takes no bytes, until it does', async () => {
  const { queue } = openQueue();
  const fake = openFake();
  fake.isBlocked = true;
  queue.attach(fake.link);
  const answered = queue.call(HEALTH, undefined);
  expect(fake.sent).toEqual([]);
  fake.isBlocked = false;
  queue.resume();
  queue.take(succeed(fake.sent[0]?.id));
  await answered;
});

test('a request that nobody waits for any more is dropped, sent or not, and ends with the reason for that', async () => {
  const { queue } = openQueue();
  const left = new Error('the client has left');
  const [unsent, sentOnce] = [new AbortController(), new AbortController()];
  const waiting = queue.call(HEALTH, undefined, unsent.signal);
  unsent.abort(left);
  await expect(waiting).rejects.toBe(left);
  const { link, sent } = openFake();
  queue.attach(link);
  await expect(queue.call(HEALTH, undefined, AbortSignal.abort(left))).rejects.toBe(left);
  expect(sent).toEqual([]);
  const underWay = queue.call(HEALTH, undefined, sentOnce.signal);
  expect(sent).toHaveLength(1);
  sentOnce.abort(left);
  await expect(underWay).rejects.toBe(left);
  queue.take(succeed(sent[0]?.id));
});

test('a failure keeps its name; its reason stays inside', async () => {
  const { queue } = openQueue();
  const { link, sent } = openFake();
  queue.attach(link);
  const answered = queue.call(HEALTH, undefined);
  const failure = serviceError('keyBackendFailed', {}, new Error('CKR_DEVICE_ERROR'));
  queue.take({ id: sent[0]?.id ?? 0, ...encodeFailure(failure) });
  await expect(answered).rejects.toMatchObject({
    code: 'keyBackendFailed',
    message: 'The key backend failed; try again later',
    cause: { message: 'CKR_DEVICE_ERROR' },
  });
});

test('a closed queue refuses what waits and what comes', async () => {
  const { queue } = openQueue();
  const waiting = queue.call(HEALTH, undefined);
  queue.close();
  await expect(waiting).rejects.toMatchObject({ code: 'signerUnavailable' });
  await expect(queue.call(HEALTH, undefined)).rejects.toMatchObject({ code: 'signerUnavailable' });
});
