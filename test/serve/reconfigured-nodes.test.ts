import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startScriptedPubsub } from '../support/scripted-pubsub.ts';
import { NODE_ROLES } from '../../src/gateway/nodes/pool/pool-node.ts';
import { type NodeParts, startNodes } from '../../src/serve/start-nodes.ts';

const pool = { max_lag_ms: 5_000, patience_ms: 5_000, hedge_percent: 0, send_to: 1 };

/** The network of two nodes, by default of two that are not there. */
function startTwo(urls = ['http://127.0.0.1:1/', 'http://127.0.0.1:2/']) {
  const upstreams = urls.map((url) => ({ url, roles: NODE_ROLES, weight: 1 }));
  const parts = {
    network: 'test',
    pool,
    ledgerDirectory: '',
    log: pino({ level: 'silent' }),
    drift: { watchNode: (node: unknown) => node },
    onFailover: () => undefined,
    wrap: { responseTimeoutMs: 1_000, onRetry: () => undefined },
    node: { connections: 1, ownClient: true, connectTimeoutMs: 500, bodyTimeoutMs: 500 },
  } as unknown as NodeParts;
  const started = startNodes({ upstreams } as never, {} as never, parts);
  onTestFinished(() => started.close());
  return { started, upstreams };
}

test('subscriptions leave a node that is not listed any more, and stay at one that is', () => {
  const { started, upstreams } = startTwo();
  const [first, second] = started.pubsubNodes();
  started.reconfigure?.({ upstreams: upstreams.slice(0, 1) } as never, pool);
  expect(first?.left?.aborted).toBe(false);
  expect(second?.left?.aborted).toBe(true);
});

test('subscriptions leave a node whose role for them is taken, and may come back when it is given again', async () => {
  const scripted = await Promise.all([startScriptedPubsub(), startScriptedPubsub()]);
  onTestFinished(() => Promise.all(scripted.map((node) => node.close())).then(() => undefined));
  const { started, upstreams } = startTwo(scripted.map(({ url }) => url));
  const both = () =>
    eventually('both take subscriptions', () => {
      const [first, second] = started.pubsubNodes();
      return first && second && { first, second };
    });
  const { first, second } = await both();
  const roles = NODE_ROLES.filter((role) => role !== 'subscribe');
  const without = upstreams.map((upstream, index) => (index === 1 ? { ...upstream, roles } : upstream));
  started.reconfigure?.({ upstreams: without } as never, pool);
  expect([first.left?.aborted, second.left?.aborted]).toEqual([false, true]);
  await eventually('the other one is known', () => started.pubsubNodes().length === 1 || undefined);
  started.reconfigure?.({ upstreams: without } as never, pool);
  started.reconfigure?.({ upstreams } as never, pool);
  const again = await both();
  expect([again.first.left, again.second.known]).toEqual([first.left, second.known]);
  expect(again.second.left?.aborted).toBe(false);
});

test('a node has at most half of the time for an answer before another one is asked', () => {
  const { started, upstreams } = startTwo();
  expect(started.nodes.patienceMs()).toBe(500);
  started.reconfigure?.({ upstreams } as never, { ...pool, patience_ms: 300 });
  expect(started.nodes.patienceMs()).toBe(300);
});
