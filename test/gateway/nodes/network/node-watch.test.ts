import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { serviceError } from '../../../../src/core/service-error.ts';
import { NodeWatch } from '../../../../src/gateway/nodes/network/node-watch.ts';
import type { UpstreamRequest } from '../../../../src/gateway/nodes/upstream.ts';
import { agave, LOST, type Played, type PlayedNode, playedNode } from './played-node.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watchOf(said: Played) {
  const node = playedNode(() => said);
  const watch = new NodeWatch({ name: 'main', upstream: node });
  return { node, watch, asked: () => node.asked('getVersion') };
}

const says = (node: PlayedNode, ...turns: readonly Played[]): void => {
  let turn = 0;
  node.play(() => turns[Math.min(turn++, turns.length - 1)] ?? 'nothing');
};
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const request: UpstreamRequest = {
  body: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"getSlot"}'),
  method: 'getSlot',
  id: '1',
  signal: new CallSignal(),
};
const call = (watch: NodeWatch) => watch.upstream.send(request).catch((error: unknown) => error);

/** A watch that has asked its node at the start and believes it. */
async function started(said: Played) {
  const all = watchOf(said);
  all.watch.start();
  await all.watch.settled();
  return all;
}

test('before it is asked nothing is known', () => {
  const { watch, asked } = watchOf(agave('4.4.0'));
  expect(watch.status()).toEqual({
    name: 'main',
    version: null,
    featureSet: null,
    isOrdered: false,
    isReachable: false,
  });
  expect([watch.has('4.4'), watch.order, watch.version, asked()]).toEqual([
    undefined,
    undefined,
    undefined,
    0,
  ]);
});

test('three equal answers at the start are believed, not two', async () => {
  const { node, watch, asked } = watchOf('nothing');
  says(node, agave('4.3.5'), agave('4.3.5'), 'nothing');
  watch.start();
  await pass(0);
  expect([asked(), watch.version, watch.has('4.3')]).toEqual([3, '4.3.5', undefined]);
  says(node, agave('4.3.5'));
  await pass(MINUTE_MS);
  expect([watch.has('4.2'), watch.has('4.3'), watch.has('4.4')]).toEqual([true, true, false]);
  expect(watch.status()).toEqual({
    name: 'main',
    version: '4.3.5',
    featureSet: 7,
    isOrdered: true,
    isReachable: true,
  });
});

test('it is asked every minute, once', async () => {
  const { asked } = await started(agave('4.3.5'));
  expect(asked()).toBe(3);
  await pass(MINUTE_MS - 1);
  expect(asked()).toBe(3);
  await pass(1);
  expect(asked()).toBe(4);
  await pass(10 * MINUTE_MS);
  expect(asked()).toBe(14);
});

test.each(['upstreamUnavailable', 'upstreamBroken', 'upstreamTimeout'] as const)(
  'after %s of a client’s call it is asked again when a call succeeds, and an upgrade is believed at once',
  async (code) => {
    const { node, watch, asked } = await started(agave('4.3.5'));
    const lost = code === 'upstreamTimeout' ? serviceError(code, { limitMs: 1 }) : serviceError(code);
    says(node, { fails: lost });
    expect(await call(watch)).toBe(lost);
    await pass(0);
    expect(asked()).toBe(3);
    says(node, agave('4.4.0'));
    await call(watch);
    await call(watch);
    await watch.settled();
    expect([asked(), watch.version, watch.has('4.4')]).toEqual([6, '4.4.0', true]);
  },
);

test.each([
  ['a busy node', serviceError('upstreamBusy')],
  ['a call that is too large', serviceError('callTooLarge')],
  ['a client that left', new Error('left')],
])('%s is no loss: nothing is asked, and another version is that of another node', async (_what, error) => {
  const { node, watch, asked } = await started(agave('4.3.5'));
  says(node, { fails: error });
  expect(await call(watch)).toBe(error);
  says(node, agave('4.4.0'));
  await call(watch);
  expect(asked()).toBe(3);
  await pass(5 * MINUTE_MS);
  expect([watch.version, watch.has('4.4')]).toEqual(['4.4.0', undefined]);
});

test('a node that comes back older than it was is one of several: unknown', async () => {
  const { node, watch } = await started(agave('4.4.0'));
  says(node, { fails: LOST });
  await call(watch);
  says(node, agave('4.3.5'));
  await call(watch);
  await watch.settled();
  expect([watch.version, watch.has('4.4'), watch.status().isOrdered]).toEqual(['4.3.5', undefined, false]);
});

test('a node that was down at the start is asked when the first call succeeds', async () => {
  const { node, watch, asked } = await started({ fails: LOST });
  expect([asked(), watch.status().version]).toEqual([1, null]);
  says(node, agave('4.4.0'));
  await call(watch);
  await watch.settled();
  expect([asked(), watch.has('4.4')]).toEqual([4, true]);
});

test('a loss that the watch itself sees counts as well', async () => {
  const { node, watch } = await started(agave('4.3.5'));
  says(node, { fails: LOST });
  await pass(MINUTE_MS);
  expect(watch.has('4.3')).toBeUndefined();
  says(node, agave('4.4.0'));
  await pass(3 * MINUTE_MS);
  expect(watch.has('4.4')).toBe(true);
});

test('while it is lost it is not known to have what it had, and is asked when that is needed', async () => {
  const { node, watch, asked } = await started(agave('4.3.5'));
  watch.lost();
  expect([watch.has('4.3'), watch.has('4.4')]).toEqual([undefined, false]);
  says(node, agave('4.4.0'));
  await watch.settled();
  expect([asked(), watch.version, watch.has('4.4')]).toEqual([6, '4.4.0', true]);
});

test('it is asked again when its WebSocket is up, once however often that is said', async () => {
  const { watch, asked } = await started(agave('4.3.5'));
  await Promise.all([watch.refresh(), watch.refresh(), watch.refresh()]);
  expect([asked(), watch.has('4.3')]).toEqual([6, true]);
});

test('while it is asked again, the known state holds until an answer says otherwise', async () => {
  const { node, watch } = await started(agave('4.3.5'));
  says(node, 'nothing');
  void watch.refresh();
  await pass(1_000);
  expect([watch.has('4.3'), watch.has('4.4')]).toEqual([true, false]);
  await pass(MINUTE_MS);
  says(node, agave('4.4.0'), agave('4.4.0'), 'nothing');
  void watch.refresh();
  await pass(0);
  expect([watch.version, watch.has('4.3')]).toEqual(['4.4.0', undefined]);
});

test('an address that says two versions in turn is unknown, and stays so', async () => {
  const { node, watch } = watchOf('nothing');
  let turn = 0;
  node.play(() => agave(turn++ % 2 === 0 ? '4.3.5' : '4.4.0'));
  watch.start();
  await watch.settled();
  for (let minute = 0; minute < 130; minute++) {
    expect([watch.has('4.3'), watch.status().isOrdered]).toEqual([undefined, false]);
    await pass(MINUTE_MS);
  }
});

test('two feature sets of one version are two nodes', async () => {
  const { node, watch } = watchOf('nothing');
  says(node, agave('4.3.5', 1), agave('4.3.5', 2));
  watch.start();
  await pass(10 * MINUTE_MS);
  expect(watch.has('4.3')).toBeUndefined();
});

test('an address that said two versions is believed after sixty equal answers, not after 59', async () => {
  const { node, watch } = await started(agave('4.3.5'));
  says(node, agave('4.4.0'));
  await pass(59 * MINUTE_MS);
  expect(watch.has('4.4')).toBeUndefined();
  await pass(MINUTE_MS);
  expect(watch.has('4.4')).toBe(true);
});

test('two versions with refusals between them are not believed after one answer each', async () => {
  const { node, watch } = await started(agave('4.4.0'));
  const refusal: Played = { result: null };
  says(node, refusal, agave('4.3.5'), refusal, agave('4.4.0'), refusal, agave('4.3.5'));
  for (let minute = 0; minute < 6; minute++) {
    await pass(MINUTE_MS);
    expect(watch.has('4.4')).toBeUndefined();
  }
});

test('a node that never answers is given up each time, and asked again the next minute', async () => {
  const { node, watch, asked } = watchOf('nothing');
  watch.start();
  await pass(4_999);
  let isSettled = false;
  void watch.settled().then(() => {
    isSettled = true;
  });
  await pass(0);
  expect([asked(), isSettled]).toEqual([1, false]);
  await pass(1);
  expect([isSettled, watch.status().version]).toEqual([true, null]);
  await pass(2 * MINUTE_MS);
  expect(asked()).toBe(3);
  says(node, agave('4.4.0'));
  await pass(3 * MINUTE_MS);
  expect(watch.has('4.4')).toBe(true);
});

test('once it is stopped nothing is asked any more, and no timer stays', async () => {
  const { node, watch, asked } = watchOf('nothing');
  watch.start();
  await pass(0);
  watch.stop();
  says(node, agave('4.4.0'));
  await pass(10 * MINUTE_MS);
  await watch.refresh();
  watch.start();
  await pass(10 * MINUTE_MS);
  expect([asked(), vi.getTimerCount()]).toEqual([1, 0]);
});

test('calls and their failures come through as they are', async () => {
  const { node, watch } = watchOf({ result: 7 });
  expect(await call(watch)).toMatchObject({ kind: 'whole', isError: false });
  const failure = new Error('of the node');
  node.play(() => ({ fails: failure }));
  expect(await call(watch)).toBe(failure);
});
