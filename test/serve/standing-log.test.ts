import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createStandingLog } from '../../src/serve/start-nodes.ts';
import type { Genesis } from '../../src/gateway/nodes/pool/node-health.ts';
import type { NodeStanding } from '../../src/gateway/nodes/pool/judge-node.ts';
import type { PoolNode } from '../../src/gateway/nodes/pool/pool-node.ts';

/** The log lines about one node that stands so, one after the other. */
const logged = (stands: readonly (readonly [NodeStanding, string?, Genesis['kind']?])[]) => {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const note = createStandingLog(log, 'solana-devnet');
  for (const [standing, reason, kind = 'hash'] of stands) {
    const reasons = reason === undefined ? [] : [reason];
    note({
      name: 'rack-1',
      health: { genesis: { kind } },
      verdict: { standing, reasons },
    } as unknown as PoolNode);
  }
  return lines.map((line) => {
    const { level, network, node, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
    expect([network, node]).toEqual(['solana-devnet', 'rack-1']);
    return { level, msg, ...rest };
  });
};

const gone = (standing: NodeStanding, reason: string) => ({
  level: 40,
  msg: 'a ledger node is not healthy',
  standing,
  reasons: [reason],
});
const back = { level: 30, msg: 'a ledger node is healthy again' };

test('the log names a node once when it goes and once when it comes, with its reasons', () => {
  const stands = [
    ['healthy'],
    ['down', 'failed: upstreamUnavailable'],
    ['down', 'failed: upstreamTimeout'],
    ['degraded', 'behind by 26 slots, 5.2 s'],
    ['healthy'],
    ['healthy'],
  ] as const;
  expect(logged(stands)).toEqual([
    gone('down', 'failed: upstreamUnavailable'),
    gone('degraded', 'behind by 26 slots, 5.2 s'),
    back,
  ]);
});

test('the log names a node that does not say its genesis hash, and none that has not been asked yet', () => {
  const silence = 'does not report its genesis hash';
  expect(logged([['unverified', 'has not reported its genesis hash yet', 'unasked'], ['healthy']])).toEqual(
    [],
  );
  expect(
    logged([
      ['unverified', 'has not reported its genesis hash yet', 'unasked'],
      ['unverified', silence, 'unstated'],
      ['healthy'],
    ]),
  ).toEqual([gone('unverified', silence), back]);
});

test('the log says once that an embedded ledger is paused, and warns of nothing', () => {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const note = createStandingLog(log, 'solana-localnet');
  const reasons = ['paused at slot 7 for 6 s'];
  for (const isPaused of [false, true, true, false])
    note({
      name: 'localnet',
      health: { genesis: { kind: 'hash' } },
      verdict: { standing: 'healthy', reasons: isPaused ? reasons : [], isStale: false, isPaused },
    } as unknown as PoolNode);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: 30,
      network: 'solana-localnet',
      node: 'localnet',
      reasons,
      msg: 'a ledger node is paused, as it was told',
    },
    { level: 30, network: 'solana-localnet', node: 'localnet', msg: 'a ledger node is no longer paused' },
  ]);
});

test('the log warns once of a node that answers and stands still, and says when it moves again', () => {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
  const note = createStandingLog(log, 'solana-devnet');
  const reasons = ['has stood at slot 7 for 6 s'];
  for (const isStale of [false, true, true, false])
    note({
      name: 'rack-1',
      health: { genesis: { kind: 'hash' } },
      verdict: { standing: 'healthy', reasons: isStale ? reasons : [], isStale },
    } as unknown as PoolNode);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: 40, network: 'solana-devnet', node: 'rack-1', reasons, msg: 'a ledger node is stale' },
    { level: 30, network: 'solana-devnet', node: 'rack-1', msg: 'a ledger node is no longer stale' },
  ]);
});
