import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { lostRequests, replaceGateway } from '../lab/faults/gateway-faults.ts';
import type { Timeline } from '../lab/report.ts';
import { runLab } from '../lab/run-lab.ts';
import { SCENARIOS } from '../lab/scenarios.ts';
import { findPostgres } from '../support/postgres.ts';
import { findRedis } from '../support/redis.ts';
import { GATEWAYS_MISSING } from './start-gateways.ts';

const ROUNDS = 2;
/** The answers between two steps. */
const BETWEEN = { http_reads: 30, batches: 10, websocket_reads: 10, signatures: 10, wallets_created: 5 };

if (GATEWAYS_MISSING !== undefined) test('a rolling restart', (context) => context.skip(GATEWAYS_MISSING));
else
  test(
    'a rolling restart fails no request, charges each once, says goodbye to sockets, and streams continue without a hole',
    restart,
    600_000,
  );

async function restart(): Promise<void> {
  const { findings, timeline } = await runLab({
    scenario: { ...SCENARIOS.restarts, faults: [] },
    services: { databaseUrl: await findPostgres(), redisUrl: await findRedis() },
    seed: 7,
    until: async (run) => {
      for (let round = 0; round < ROUNDS; round++)
        for (const gateway of run.installation.gateways) {
          await goesOn(run.timeline);
          const { end } = await replaceGateway(gateway);
          await goesOn(run.timeline);
          await end();
        }
      await goesOn(run.timeline);
    },
  });
  expect([findings.kept, lostRequests(timeline)]).toEqual([[], {}]);
  expect(timeline.total('sockets_lost_with_their_gateway')).toBeGreaterThan(0);
  expect(timeline.total('streams_resumed')).toBeGreaterThan(0);
}

async function goesOn(timeline: Timeline): Promise<void> {
  const until = Object.entries(BETWEEN).map(([name, more]) => [name, timeline.total(name) + more] as const);
  const isAnswered = () => until.every(([name, least]) => timeline.total(name) >= least) || undefined;
  await eventually('requests are answered', isAnswered, { timeoutMs: 120_000 });
}
