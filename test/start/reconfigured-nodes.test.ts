import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type NodeParts, startNodes } from '../../src/start/start-nodes.ts';

const pool = { max_lag_ms: 5_000, patience_ms: 5_000, hedge_percent: 0, send_to: 1 };

/** The network of two nodes that are not there. */
function startTwo() {
  const upstreams = [1, 2].map((port) => ({ url: `http://127.0.0.1:${port}/`, weight: 1 }));
  const parts = {
    ...{ network: 'test', pool, ledgerDirectory: '', log: pino({ level: 'silent' }) },
    ...{ drift: { watchNode: (node: unknown) => node }, onFailover: () => undefined },
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

test('a node has at most half of the time for an answer before another one is asked', () => {
  const { started, upstreams } = startTwo();
  expect(started.nodes.patienceMs()).toBe(500);
  started.reconfigure?.({ upstreams } as never, { ...pool, patience_ms: 300 });
  expect(started.nodes.patienceMs()).toBe(300);
});
