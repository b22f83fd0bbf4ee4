import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { serviceError } from '../../../../src/core/service-error.ts';
import { createPoolNode } from '../../../../src/gateway/nodes/pool/pool-node.ts';
import { readInTurn, type ReadAttempts } from '../../../../src/gateway/nodes/pool/read-in-turn.ts';
import { pass, startChainPool, useChainTime } from './chain-pool.ts';
import { memberOf } from './pool-of.ts';

useChainTime();

test('a node that fails a light read while another takes too long is asked again each second', async () => {
  const { nodes, call } = await startChainPool({ nodes: 2, patienceMs: 5_000 });
  for (const node of nodes) node.fault = 'hangs';
  let isAnswered = false;
  const answer = call('getBalance').finally(() => {
    isAnswered = true;
  });
  await pass(0);
  const other = nodes.find((node) => node.asked('getBalance') === 0);
  if (other === undefined) throw new Error('both were asked at once');
  other.fault = 'busy';
  for (let passed = 0; passed < 5_100; passed += 100) await pass(100);
  expect(other.asked('getBalance')).toBe(1);
  other.fault = undefined;
  for (let passed = 0; passed < 1_500; passed += 100) await pass(100);
  expect(isAnswered).toBe(true);
  await answer;
});

test('a node that may be asked again, and fails its first call late, does not let another one be asked too often', async () => {
  const fails = new Map<string, () => void>();
  const asked: string[] = [];
  const [first, second] = ['first', 'second'].map((name, index) => {
    const send = () =>
      new Promise<never>((_, reject) => {
        asked.push(name);
        fails.set(name, () => reject(serviceError('upstreamUnavailable')));
      });
    return createPoolNode(memberOf({ upstream: { send, close: async () => undefined } }, index));
  });
  if (first === undefined || second === undefined) throw new Error('no node');
  let isSecondUsable = true;
  const turns: ReadAttempts = {
    pick: (_, tried) =>
      [first, second].find((node) => !tried.includes(node) && (node === first || isSecondUsable)),
    hedgeAfterMs: () => undefined,
    mayHedge: () => false,
    patienceMs: () => 400,
    onFailover: () => undefined,
  };
  const request = {
    body: Buffer.from('{}'),
    method: 'getBalance',
    id: '1',
    signal: new CallSignal(),
  } as const;
  void readInTurn(request, turns);
  await pass(885);
  expect(asked).toEqual(['first', 'second', 'first']);
  isSecondUsable = false;
  fails.get('second')?.();
  await pass(3_000);
  expect(asked).toEqual(['first', 'second', 'first']);
});
