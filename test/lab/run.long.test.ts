import { expect, test } from 'vitest';
import { GATEWAYS_MISSING } from '../gateways/start-gateways.ts';
import { findPostgres } from '../support/postgres.ts';
import { findRedis } from '../support/redis.ts';
import { INVARIANT_NAMES } from './checks/invariants.ts';
import { makeReport } from './report.ts';
import { runLab } from './run-lab.ts';
import { SCENARIOS } from './scenarios.ts';

if (GATEWAYS_MISSING !== undefined)
  test('a short run of the lab', (context) => context.skip(GATEWAYS_MISSING));
else test('a short run in which every part fails holds', runShort, 300_000);

async function runShort(): Promise<void> {
  const services = { databaseUrl: await findPostgres(), redisUrl: await findRedis() };
  const { short: scenario } = SCENARIOS;
  const report = makeReport(await runLab({ scenario, services, seed: 7 }));
  expect(report.breaks).toEqual([]);
  const held = report.invariants.filter(({ state }) => state === 'held').map(({ name }) => name);
  // No wallet need be destroyed in so short a time, and two are for `make soak PART=kills`.
  const others = ['destroyed_signs', 'broken_stream', 'lost_gateway'];
  expect(INVARIANT_NAMES.filter((name) => !held.includes(name) && !others.includes(name))).toEqual([]);
  expect(new Set(report.faults.map(({ part }) => part)).size).toBeGreaterThan(2);
}
