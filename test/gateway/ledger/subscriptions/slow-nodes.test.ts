import { expect, test } from 'vitest';
import type { SubscriptionName } from '../../../../generated/ledger/subscriptions.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { openPubsub, NOT_SERVED } from '../../../../src/gateway/nodes/pubsub-link.ts';
import {
  type NodeCall,
  NodeRefusal,
  type ScriptedPubsub,
  startScriptedPubsub,
} from '../../../support/scripted-pubsub.ts';
import { ADDRESS, CONFIRMED, OTHER, account, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

/** More than an answer takes, also where the machine keeps the process for a while. */
const TIME = { silenceMs: 60_000, responseTimeoutMs: 20_000 };

/** Answers the calls of a method late by a number of milliseconds, with one id after the other. */
function slowDown(node: ScriptedPubsub, method: string, ms: number): void {
  let id = 7_000;
  node.refuse = (call) => {
    if (call.method !== method) return undefined;
    const sockets = [...node.sockets];
    const answer = `{"jsonrpc":"2.0","result":${++id},"id":${call.id}}`;
    setTimeout(() => {
      for (const socket of sockets) socket.send(answer);
    }, ms);
    return 'silence';
  };
}

test('a subscription that every node takes longer for than one is patient is made all the same', async () => {
  const other = await startScriptedPubsub({ firstSlot: 200 });
  stage.closing.push(other.close);
  await stage.start({ nodeUrls: [stage.node.url, other.url], patienceMs: 150, ...TIME });
  await stage.client.call('rootSubscribe');
  for (const node of [stage.node, other]) slowDown(node, 'accountSubscribe', 400);
  const { result } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  expect(result).toEqual(expect.any(Number));
});

test('a kind of subscription that no node answers moves the others once, however often it is asked for', async () => {
  const other = await startScriptedPubsub({ firstSlot: 200 });
  stage.closing.push(other.close);
  const nodes = [stage.node, other];
  await stage.start({
    nodeUrls: nodes.map(({ url }) => url),
    patienceMs: 100,
    silenceMs: 2_000,
    responseTimeoutMs: 20_000,
  });
  for (const node of nodes)
    node.refuse = ({ method }) => (method === 'voteSubscribe' ? 'silence' : undefined);
  await stage.client.call('rootSubscribe');
  for (let time = 0; time < 3; time++) await stage.client.call('voteSubscribe').catch(() => undefined);
  const moved = nodes.flatMap(({ calls }) => calls.filter(({ method }) => method === 'rootSubscribe'));
  expect(moved).toHaveLength(2);
});

test('the only node for subscriptions is not left for another one, however short the patience is', async () => {
  await stage.start({ patienceMs: 100, ...TIME });
  await stage.client.call('rootSubscribe');
  const [socket] = stage.node.sockets;
  slowDown(stage.node, 'accountSubscribe', 400);
  const { result } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  expect(result).toEqual(expect.any(Number));
  expect([...stage.node.sockets]).toEqual([socket]);
  expect(stage.node.calls.filter(({ method }) => method === 'accountSubscribe')).toHaveLength(1);
});

test('a subscription that waits for a slow node is given up with its connection', async () => {
  const connection = await openPubsub(stage.node.url.replace('http', 'ws'), {
    connectTimeoutMs: 2_000,
    callTimeoutMs: 3_600_000,
    patienceMs: 100,
    onFailure: () => undefined,
    onMessage: undefined,
  });
  if (connection === NOT_SERVED) throw new Error('not served');
  const asked: NodeCall[] = [];
  stage.node.refuse = (call) => {
    if (call.params?.[0] !== ADDRESS) return undefined;
    asked.push(call);
    return 'silence';
  };
  const ignore = (): void => undefined;
  const subscribe = (name: SubscriptionName, params: string) =>
    connection.subscribe(name, params, ignore, name);
  const slow = subscribe('accountSubscribe', `["${ADDRESS}"]`);
  slow.catch(ignore);
  await subscribe('accountSubscribe', `["${OTHER}"]`);
  await eventually('it was asked for again', () => asked.length === 2 || undefined);
  await expect(subscribe('slotSubscribe', '[]')).resolves.toBeDefined();
  // The second call has no answer in time either: from now on only the answer, or the end of the connection, is waited for.
  const timed = subscribe('voteSubscribe', `["${ADDRESS}"]`);
  await expect(timed).rejects.toThrow();
  connection.end('stopped');
  await expect(slow).rejects.toMatchObject({ code: 'upstreamUnavailable' });
});

test('one read that the node fails while states are read again leaves a gap that is sent at once', async () => {
  await stage.start();
  await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  const { getSlot } = stage.node.answers;
  if (typeof getSlot !== 'function') throw new Error('no slots');
  let isFailing = false;
  stage.node.refuse = ({ method }) => {
    isFailing ||= method === 'accountSubscribe';
    return undefined;
  };
  stage.node.answers.getSlot = (params: readonly unknown[]) => {
    const isFailed = isFailing;
    isFailing = false;
    return isFailed ? new NodeRefusal(-32005, 'Node is behind') : getSlot(params);
  };
  stage.node.answers.getAccountInfo = account(100, 1);
  await stage.lose('accountSubscribe');
  expect(gapOf(await stage.client.next()).toSlot).toBeGreaterThanOrEqual(100);
});

test('a subscription that is asked for again before it was ended at the node stays', async () => {
  await stage.start(TIME);
  await stage.client.call('rootSubscribe');
  const { result: first } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  const [id] = stage.node.subscriptions('accountSubscribe');
  const held: NodeCall[] = [];
  stage.node.refuse = (call) => {
    if (call.method !== 'accountSubscribe') return undefined;
    held.push(call);
    return 'silence';
  };
  const other = stage.client.call('accountSubscribe', [OTHER, CONFIRMED]);
  await eventually('another one was asked for', () => held.length === 1 || undefined);
  await stage.client.call('accountUnsubscribe', [first]);
  const again = stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  await eventually('it was asked for again', () => held.length === 2 || undefined);
  const answer = (call: NodeCall | undefined, result: unknown) =>
    stage.node.sendText(JSON.stringify({ jsonrpc: '2.0', result, id: call?.id }));
  answer(held[0], 900);
  await other;
  // A round trip: what the gateway sent before has arrived.
  await stage.client.call('voteSubscribe');
  answer(held[1], id);
  await again;
  await stage.client.call('slotsUpdatesSubscribe');
  expect(stage.node.subscriptions('accountSubscribe')).toEqual([id]);
  stage.node.notify('accountSubscribe', account(9_000, 2));
  expect(resultOf(await stage.client.next())).toEqual(account(9_000, 2));
});
