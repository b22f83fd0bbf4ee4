import fc from 'fast-check';
import { Registry } from 'prom-client';
import { rounds } from '../../../support/tier.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import { showNodes } from '../../../../src/operate/admin/show-nodes.ts';
import { createNodeMetrics } from '../../../../src/gateway/nodes/network/node-metrics.ts';
import { joinNodes } from '../../../../src/gateway/nodes/network/ledger-nodes.ts';
import { NodeWatch } from '../../../../src/gateway/nodes/network/node-watch.ts';
import { orderOf } from '../../../../src/gateway/nodes/network/node-version.ts';
import { agave, LOST, type Played, playedNode } from './played-node.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const VERSIONS = ['4.2.0', '4.3.5', '4.4.0'] as const;
/** The behaviour of a node in the next minute. */
const turns = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...VERSIONS) },
    fc.constantFrom('refuses', 'is lost', 'is called'),
  ),
  { minLength: 1, maxLength: 25 },
);

const playedAs = (turn: string): Played => {
  if (turn === 'is lost') return { fails: LOST };
  return turn === 'refuses' ? { result: null } : agave(turn);
};

test('whatever a node says in turn, it is ordered only by what it said three times in a row', async () => {
  await fc.assert(
    fc.asyncProperty(turns, async (sequence) => {
      const answers: string[] = [];
      let turn = 'refuses';
      const node = playedNode((method) => {
        if (method === 'getVersion' && turn !== 'is lost') answers.push(turn);
        return playedAs(turn);
      });
      const watch = new NodeWatch({ name: 'main', upstream: node });
      const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"getSlot"}');
      const request = { body, method: 'getSlot', id: '1', signal: new CallSignal() } as const;
      watch.start();
      await watch.settled();
      for (const next of sequence) {
        if (next !== 'is called') turn = next;
        await watch.upstream.send(request).catch(() => undefined);
        await vi.advanceTimersByTimeAsync(MINUTE_MS);
        if (watch.order === undefined) continue;
        const [newest] = answers.slice(-1);
        expect(answers.slice(-3)).toEqual([newest, newest, newest]);
        expect(watch.order).toBe(orderOf(newest ?? ''));
      }
      watch.stop();
    }),
    { numRuns: rounds(100) },
  );
});

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    '4.4.0\n# HELP forged',
    '4.4.0"} 1\nforged{a="',
    '\u001b]0;owned\u0007',
    '\u202e4.4.0',
    '\\',
  ),
);
const hostile = fc.oneof(
  fc.jsonValue(),
  fc.record({ 'solana-core': fc.oneof(hostileText, fc.jsonValue()), 'feature-set': fc.jsonValue() }),
);

test('whatever getVersion answers, metrics stay three lines and nothing unprintable is shown', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (result) => {
      const watch = new NodeWatch({ name: 'main', upstream: playedNode(() => ({ result })) });
      const registry = new Registry();
      const { statuses, consensus } = joinNodes([{ watch, upstream: watch.upstream }]);
      createNodeMetrics(registry).watch('solana-devnet', {
        statuses,
        consensus,
        pace: { slotMs: undefined },
      });
      watch.start();
      await watch.settled();
      watch.stop();
      const info = await registry.getSingleMetricAsString('keyslot_node_info');
      expect(info.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
        expect.stringMatching(
          /^keyslot_node_info\{network="solana-devnet",node="main",version="[\x20-\x7e]{0,200}",feature_set="\d{0,10}",ordered="(true|false)"\} 1$/,
        ),
      ]);
      const pace = () => ({ slotMs: null, source: null });
      const drift = { snapshot: () => [], unknownMethods: () => [] };
      const shown = JSON.stringify(showNodes([{ label: 'a', statuses, consensus, pace, drift }]));
      expect(shown).toMatch(/^[\x20-\x7e]*$/);
    }),
    { numRuns: rounds(300) },
  );
});
