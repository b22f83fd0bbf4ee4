import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import type { PubsubRank } from '../../../src/gateway/nodes/node-turns.ts';
import {
  PubsubLink,
  type PubsubLinkOptions,
  type PubsubNode,
} from '../../../src/gateway/nodes/pubsub-link.ts';
import { startScriptedPubsub } from '../../support/scripted-pubsub.ts';
import { startBusyMachineClock } from '../../support/busy-machine-clock.ts';
import { standStill } from '../../support/stand-still.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const known = {
  has: () => undefined,
  order: undefined,
  version: undefined,
  lost: () => undefined,
  refresh: async () => undefined,
  settled: async () => undefined,
};
const HEALTHY: PubsubRank = { isHealthy: true, lagSlots: 0 };
const BEHIND: PubsubRank = { isHealthy: false, lagSlots: 500 };

function nodeAt(url: string, rank = HEALTHY): PubsubNode {
  const upstream = { send: () => Promise.reject(new Error('not asked')), close: async () => undefined };
  return { addresses: [url.replace('http', 'ws')], upstream, known, rank };
}

async function scripted() {
  const node = await startScriptedPubsub();
  closing.push(node.close);
  return node;
}

/** An address that takes connections, and never says anything. */
async function blackHole(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/`;
}

/** A link to the nodes, and the addresses that it was up at, in order. */
function linkTo(nodes: () => readonly PubsubNode[], options: Partial<PubsubLinkOptions> = {}) {
  const up: PubsubNode['upstream'][] = [];
  const link = new PubsubLink({
    nodes,
    connectTimeoutMs: 30_000,
    callTimeoutMs: 30_000,
    silenceMs: () => 30_000,
    patienceMs: () => 30_000,
    onSlot: () => undefined,
    onUp: async ({ upstream }) => void up.push(upstream),
    onDown: () => undefined,
    onFailure: () => undefined,
    ...options,
  });
  closing.push(() => link.stop());
  return { link, up };
}

async function upAt(up: readonly PubsubNode['upstream'][], times: number): Promise<void> {
  await eventually(`it is up ${times} times`, () => up.length >= times || undefined);
}

test('a node whose WebSocket takes connections and says nothing keeps nobody from the next one', async () => {
  const sound = await scripted();
  const nodes = [nodeAt(await blackHole()), nodeAt(sound.url)];
  const { link, up } = linkTo(() => nodes);
  link.start();
  await upAt(up, 1);
  expect(up).toEqual([nodes[1]?.upstream]);
});

test('a node that leaves the subscribe call to slots unanswered keeps nobody from the next one', async () => {
  const [hung, sound] = [await scripted(), await scripted()];
  hung.refuse = () => 'silence';
  const nodes = [nodeAt(hung.url), nodeAt(sound.url)];
  const { link, up } = linkTo(() => nodes);
  link.start();
  await upAt(up, 1);
  expect(up).toEqual([nodes[1]?.upstream]);
  await eventually('the other one is left', () => hung.sockets.size === 0 || undefined);
});

test('a healthy node that was cut is connected to again, rather than one that is behind', async () => {
  const [good, behind] = [await scripted(), await scripted()];
  const nodes = [nodeAt(good.url), nodeAt(behind.url, BEHIND)];
  const { link, up } = linkTo(() => nodes);
  link.start();
  await upAt(up, 1);
  await eventually('slots are announced', () => good.subscriptions('slotSubscribe')[0]);
  const { slot } = good;
  await eventually('a slot was announced', () => good.slot > slot + 1 || undefined);
  good.cut();
  await upAt(up, 2);
  expect(up).toEqual([nodes[0]?.upstream, nodes[0]?.upstream]);
});

test('a link that is started again begins with the best node', async () => {
  const [good, behind] = [await scripted(), await scripted()];
  const nodes = [nodeAt(good.url), nodeAt(behind.url, BEHIND)];
  const { link, up } = linkTo(() => nodes);
  link.start();
  await upAt(up, 1);
  await link.stop();
  link.start();
  await upAt(up, 2);
  expect(up).toEqual([nodes[0]?.upstream, nodes[0]?.upstream]);
});

test('a node that comes while the others have their pause is connected to at once', async () => {
  const gone = await startScriptedPubsub();
  await gone.close();
  const nodes = [nodeAt(gone.url)];
  let failures = 0;
  const { link, up } = linkTo(() => nodes, { onFailure: () => void failures++ });
  link.start();
  // By now its pause is long.
  await eventually('it was asked', () => failures >= 5 || undefined);
  const sound = await scripted();
  nodes.push(nodeAt(sound.url));
  using since = startBusyMachineClock();
  await upAt(up, 1);
  expect(since.elapsedMs()).toBeLessThan(400);
});

test('a node that is not used any more is left as soon as there is another one', async () => {
  const [gone, next] = [await scripted(), await scripted()];
  const leaving = new AbortController();
  const nodes: PubsubNode[] = [{ ...nodeAt(gone.url), left: leaving.signal }];
  const { link, up } = linkTo(() => nodes);
  link.start();
  await upAt(up, 1);
  nodes.length = 0;
  leaving.abort();
  const [socket] = gone.sockets;
  expect(socket?.readyState).toBe(WebSocket.OPEN);
  nodes.push(nodeAt(next.url));
  await upAt(up, 2);
  expect(up[1]).toBe(nodes[0]?.upstream);
  expect(gone.sockets.size).toBe(0);
});

test('a node that announced slots while this process stood still was not silent', async () => {
  const node = await scripted();
  const nodes = [nodeAt(node.url)];
  const losses: string[] = [];
  const told: number[] = [];
  const onSlot = (slot: number): void => {
    told.push(slot);
    if (told.length === 3) standStill(3_000);
  };
  const onDown = (loss: string): void => void losses.push(loss);
  const { link } = linkTo(() => nodes, { silenceMs: () => 2_000, onSlot, onDown });
  link.start();
  await eventually('slots are told again', () => told.length > 5 || undefined);
  expect(losses).toEqual([]);
});

test('a link is stopped at once while it connects', async () => {
  const nodes = [nodeAt(await blackHole())];
  const { link } = linkTo(() => nodes);
  link.start();
  using since = startBusyMachineClock();
  await link.stop();
  expect(since.elapsedMs()).toBeLessThan(1_000);
});
