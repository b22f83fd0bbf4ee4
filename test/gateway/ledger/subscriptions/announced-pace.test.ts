import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { createSubscriptionMetrics } from '../../../../src/gateway/ledger/subscriptions/subscription-metrics.ts';
import { Hub } from '../../../../src/gateway/ledger/subscriptions/hub.ts';
import { connectNode, wrapUpstream } from '../../../../src/gateway/nodes/open-upstream.ts';
import { NodeWatch } from '../../../../src/gateway/nodes/network/node-watch.ts';
import { Pace } from '../../../../src/gateway/nodes/network/pace.ts';
import { pubsubAddresses } from '../../../../src/core/config/node-address.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { type ScriptedPubsub, startScriptedPubsub } from '../../../support/scripted-pubsub.ts';

const NODE = { connections: 4, connectTimeoutMs: 500, bodyTimeoutMs: 2_000 };
const WRAP = { responseTimeoutMs: 2_000, onRetry: () => undefined };

/** Subscriptions to slots of a node that announces them when a test says so. */
async function subscribed(
  pace: Pace,
  onSlot: () => void,
  newestSlot?: () => number,
): Promise<ScriptedPubsub> {
  const node = await startScriptedPubsub();
  node.isAnnouncing = false;
  const watch = new NodeWatch({ name: 'main', upstream: connectNode(node.url, NODE) });
  const reached = { addresses: pubsubAddresses({ url: node.url }), known: watch };
  const hub = new Hub({
    connectTimeoutMs: 500,
    callTimeoutMs: 2_000,
    silenceMs: () => 60_000,
    patienceMs: () => Infinity,
    pace,
    nodes: () => [{ ...reached, upstream: wrapUpstream(watch.upstream, WRAP) }],
    frame: (text) => text,
    ...(newestSlot && { newestSlot }),
    metrics: createSubscriptionMetrics(new Registry())('solana-devnet'),
    onUnordered: () => undefined,
    onFailure: () => undefined,
  });
  onTestFinished(async () => {
    await hub.close();
    await watch.upstream.close();
    await node.close();
  });
  const ignore = (): void => undefined;
  const subscriber = { accountId: 'a', reserve: ignore, release: ignore, deliver: onSlot, forget: ignore };
  await hub.subscribe('slotSubscribe', [], { subscriber, added: ignore }, new CallSignal());
  return node;
}

test('the slots that a node announces tell the pace; when it is lost, what they told holds until others do', async () => {
  let nowMs = 0;
  const pace = new Pace(() => nowMs);
  pace.measure(1, 1_000, 'samples');
  const heard = Promise.withResolvers<void>();
  const node = await subscribed(pace, heard.resolve);
  const announce = (slot: number): void =>
    node.notify('slotSubscribe', { slot, parent: slot - 1, root: slot - 32 });
  announce(100);
  await heard.promise;
  nowMs = 6_000;
  announce(115);
  await eventually('the slots are measured', () => pace.isAnnounced || undefined);
  expect(pace.standing()).toEqual({ slotMs: 400, source: 'notifications' });
  node.cut();
  await eventually('the loss is seen', () => !pace.isAnnounced || undefined);
  expect(pace.standing()).toEqual({ slotMs: 400, source: 'notifications' });
});

test('a node that falls behind the others does not slow the pace down', async () => {
  let [nowMs, newest] = [0, 100];
  const pace = new Pace(() => nowMs);
  let heard = 0;
  const node = await subscribed(
    pace,
    () => void heard++,
    () => newest,
  );
  for (const [slot, ms] of [
    [100, 0],
    [101, 3_000],
    [102, 6_000],
  ] as const) {
    [nowMs, newest] = [ms, 100 + ms / 200];
    node.notify('slotSubscribe', { slot, parent: slot - 1, root: slot - 32 });
    const before = heard;
    await eventually('it is heard', () => heard > before || undefined, { intervalMs: 1 });
  }
  expect(pace.standing()).toEqual({ slotMs: 200, source: 'notifications' });
});
