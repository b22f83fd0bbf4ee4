import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { GatewayOptions } from '../../../server/start-gateway.ts';
import { type NodeCall, type ScriptedPubsub, startScriptedPubsub } from '../../../support/scripted-pubsub.ts';
import { ADDRESS, CONFIRMED, OTHER, SIGNATURE, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

/** Longer than a busy machine keeps the process: nodes that announce slots are not lost meanwhile. Calls are waited for as long. */
const LIMITS = { silenceMs: 2_000, responseTimeoutMs: 20_000 };

/** A stage with a second node, and the patience of calls. */
async function startTwo(
  patienceMs: number,
  limits: Partial<GatewayOptions> = { silenceMs: 60_000 },
): Promise<ScriptedPubsub> {
  const other = await startScriptedPubsub({ firstSlot: 200 });
  stage.closing.push(other.close);
  await stage.start({ nodeUrls: [stage.node.url, other.url], patienceMs, ...limits });
  return other;
}

/** It keeps its connections, and answers and announces nothing from now on. */
function hang(node: ScriptedPubsub): void {
  node.isAnnouncing = false;
  node.refuse = () => 'silence';
  for (const method of ['getSlot', 'getAccountInfo', 'getSignatureStatuses'])
    node.answers[method] = () => new Promise(() => undefined);
}

/** Leaves the first calls of a method unanswered. */
function dropFirst(node: ScriptedPubsub, method: string, times = 1): readonly NodeCall[] {
  const dropped: NodeCall[] = [];
  node.refuse = (call) => {
    if (call.method !== method || dropped.length >= times) return undefined;
    dropped.push(call);
    return 'silence';
  };
  return dropped;
}

describe('a new subscription', () => {
  test.each([
    ['accountSubscribe', [ADDRESS, CONFIRMED]],
    ['logsSubscribe', ['all']],
    ['programSubscribe', [ADDRESS, CONFIRMED]],
    ['signatureSubscribe', [SIGNATURE]],
    ['blockSubscribe', ['all']],
    ['rootSubscribe', []],
    ['slotsUpdatesSubscribe', []],
  ])(
    '%s is made at another node where the first one hangs, and its client does not notice',
    async (method, params) => {
      const other = await startTwo(150);
      await stage.client.call('slotSubscribe');
      await stage.client.next();
      hang(stage.node);
      const { result } = await stage.client.call(method, params);
      expect(result).toEqual(expect.any(Number));
      expect(other.subscriptions(method)).toHaveLength(1);
      expect(stage.node.sockets.size).toBe(0);
    },
  );

  test('is asked for once more where the node has dropped the call, and stays there', async () => {
    await stage.start(LIMITS);
    await stage.client.call('rootSubscribe');
    const [socket] = stage.node.sockets;
    const dropped = dropFirst(stage.node, 'accountSubscribe');
    const { result } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    expect(result).toEqual(expect.any(Number));
    expect(dropped).toHaveLength(1);
    expect([...stage.node.sockets]).toEqual([socket]);
  });

  test('that two calls have opened is one: what the late answer opens is ended at the node', async () => {
    await stage.start(LIMITS);
    await stage.client.call('rootSubscribe');
    const late = dropFirst(stage.node, 'accountSubscribe');
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.sendText(`{"jsonrpc":"2.0","result":777,"id":${late[0]?.id}}`);
    await eventually('it is ended', () =>
      stage.node.calls.find(({ method }) => method === 'accountUnsubscribe'),
    );
    const ended = stage.node.calls.filter(({ method }) => method === 'accountUnsubscribe');
    expect(ended.map(({ params }) => params)).toEqual([[777]]);
    expect(stage.node.subscriptions('accountSubscribe')).toHaveLength(1);
  });

  test('that the late answer names again is kept', async () => {
    await stage.start(LIMITS);
    await stage.client.call('rootSubscribe');
    const late = dropFirst(stage.node, 'accountSubscribe');
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    const [id] = stage.node.subscriptions('accountSubscribe');
    stage.node.sendText(`{"jsonrpc":"2.0","result":${id},"id":${late[0]?.id}}`);
    await stage.client.call('logsSubscribe', ['all']);
    expect(stage.node.subscriptions('accountSubscribe')).toEqual([id]);
  });

  test('goes to another node where the first one answers no calls of its kind, and the others follow with a gap', async () => {
    const other = await startTwo(150);
    await stage.client.call('rootSubscribe');
    stage.node.notify('rootSubscribe', 5_050);
    expect(resultOf(await stage.client.next())).toBe(5_050);
    dropFirst(stage.node, 'accountSubscribe', 9);
    const { result } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    expect(result).toEqual(expect.any(Number));
    other.notify('rootSubscribe', 5_060);
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 5_051, toSlot: 5_059 });
  });

  test('that no node answers is refused, and the other ones continue', async () => {
    const nodes = [stage.node, await startTwo(150, LIMITS)];
    await stage.client.call('rootSubscribe');
    for (const node of nodes) dropFirst(node, 'accountSubscribe', 9);
    const { error } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    expect(error).toMatchObject({ data: expect.objectContaining({ name: 'upstreamTimeout' }) });
    // The second node has it, unless it took long to be reached.
    const node = await eventually('the other one is there', () =>
      nodes.find((each) => each.subscriptions('rootSubscribe').length === 1),
    );
    node.notify('rootSubscribe', 7);
    expect(resultOf(await stage.client.next())).toBe(7);
  });

  test('that a slow node answers after others of its kind is not refused', async () => {
    const other = await startTwo(1_000);
    await stage.client.call('rootSubscribe');
    const late: NodeCall[] = [];
    stage.node.refuse = (call) => {
      if (call.params?.[0] !== ADDRESS) return undefined;
      late.push(call);
      return 'silence';
    };
    const slow = stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    await eventually('it was asked for', () => late.length > 0 || undefined);
    await stage.client.call('accountSubscribe', [OTHER, CONFIRMED]);
    await eventually('it was asked for again', () => late.length >= 2 || undefined);
    stage.node.sendText(`{"jsonrpc":"2.0","result":777,"id":${late[0]?.id}}`);
    expect(await slow).toMatchObject({ result: expect.any(Number) });
    expect(other.sockets.size).toBe(0);
  });
});

test.each([
  ['logsSubscribe', ['all', { commitment: 'confirmed' }]],
  ['blockSubscribe', ['all', { commitment: 'confirmed' }]],
])('%s continues with a gap after one missed block that a node never answers for', async (method, params) => {
  await stage.start();
  expect(await stage.client.call(method, params)).toHaveProperty('result');
  const { slot } = stage.node;
  const blocks = Array.from({ length: 12 }, (_, index) => slot + index);
  stage.node.answers.getBlocks = blocks;
  stage.node.answers.getBlock = () => new Promise(() => undefined);
  stage.node.slot += 20;
  await stage.lose(method);
  expect(gapOf(await stage.client.next()).toSlot).toBeGreaterThanOrEqual(slot + 19);
  const reads = stage.node.asked.filter(({ method: asked }) => asked === 'getBlock');
  expect(reads.length).toBeLessThanOrEqual(4);
});
