import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { joinNodes, type LedgerNodes } from '../../../../src/gateway/nodes/network/ledger-nodes.ts';
import { NodeWatch } from '../../../../src/gateway/nodes/network/node-watch.ts';
import { agave, LOST, type Played, playedNode } from './played-node.ts';
import { rounds } from '../../../support/tier.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function joined(answers: readonly Played[]) {
  const nodes = answers.map((answer) => playedNode(() => answer));
  const watches = nodes.map((upstream, index) => new NodeWatch({ name: `node-${index + 1}`, upstream }));
  return { nodes, ledger: joinNodes(watches.map((watch) => ({ watch, upstream: watch.upstream }))) };
}

async function asked(answers: readonly Played[]): Promise<LedgerNodes> {
  const { ledger } = joined(answers);
  ledger.start();
  await ledger.settled();
  return ledger;
}

const OLD = agave('4.3.5');
const NEW = agave('4.4.0');
const SURFNET: Played = { result: { 'solana-core': '4.4.0', 'surfnet-version': '1.6.0' } };
const DOWN: Played = { fails: LOST };

test.each([
  ['one that has it', [NEW], 'some'],
  ['one that has it among others', [OLD, DOWN, SURFNET, NEW], 'some'],
  ['one that is older', [OLD], 'none'],
  ['all that are older', [OLD, agave('4.2.0'), agave('3.1.0')], 'none'],
  ['one of another client', [SURFNET], 'unknown'],
  ['one of another client among older ones', [OLD, SURFNET, OLD], 'unknown'],
  ['one that is down', [DOWN], 'unknown'],
  ['one that is down among older ones', [OLD, DOWN], 'unknown'],
  ['no node', [], 'none'],
] as const)('of %s the support of 4.4 is as it says', async (_nodes, answers, support) => {
  expect((await asked(answers)).support('4.4')).toBe(support);
});

test('before they have been asked nothing is known, and no version is told', () => {
  const { ledger } = joined([OLD, NEW]);
  expect([ledger.support('4.3'), ledger.support('4.4'), ledger.versions()]).toEqual([
    'unknown',
    'unknown',
    [],
  ]);
});

test('versions are told once each, statuses of every node in order', async () => {
  const ledger = await asked([OLD, NEW, OLD, DOWN, SURFNET]);
  expect(ledger.versions()).toEqual(['4.3.5', '4.4.0']);
  expect(ledger.statuses()).toMatchObject([
    { name: 'node-1', version: '4.3.5', featureSet: 7, isOrdered: true, isReachable: true },
    { name: 'node-2', version: '4.4.0', featureSet: 7, isOrdered: true, isReachable: true },
    { name: 'node-3', version: '4.3.5', featureSet: 7, isOrdered: true, isReachable: true },
    { name: 'node-4', version: null, featureSet: null, isOrdered: false, isReachable: false },
    { name: 'node-5', version: '4.4.0', featureSet: null, isOrdered: false, isReachable: true },
  ]);
});

test('none is known to lack a version only where every node is known to lack it', async () => {
  const one = fc.constantFrom('3.1', '4.2', '4.3', '4.4', 'unknown');
  const nodes = fc.array(one, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(nodes, fc.constantFrom('4.2', '4.3', '4.4'), async (versions, since) => {
      const answers = versions.map((each) => (each === 'unknown' ? SURFNET : agave(`${each}.0`)));
      const ledger = await asked(answers);
      const has = versions.some((each) => each !== 'unknown' && each >= since);
      const perhaps = versions.includes('unknown');
      const without = perhaps ? 'unknown' : 'none';
      expect(ledger.support(since)).toBe(has ? 'some' : without);
      await ledger.close();
    }),
    { numRuns: rounds(60) },
  );
});

test('closed, it asks no node any more, closes each and leaves no timer, whether they answer or not', async () => {
  const { nodes, ledger } = joined([OLD, DOWN]);
  ledger.start();
  await ledger.settled();
  await ledger.close();
  const before = nodes.map((node) => node.asked('getVersion'));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(nodes.map((node) => node.asked('getVersion'))).toEqual(before);
  expect([nodes.map((node) => node.isClosed()), vi.getTimerCount()]).toEqual([[true, true], 0]);
});

test('closed before its nodes were started, it asks nothing', async () => {
  const { nodes, ledger } = joined([OLD]);
  await ledger.close();
  ledger.start();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([nodes[0]?.asked('getVersion'), vi.getTimerCount()]).toEqual([0, 0]);
});
