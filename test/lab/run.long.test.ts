import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { INVARIANT_NAMES } from '../../src/lab/checks/invariants.ts';
import type { SignedReport } from '../../src/lab/report/sign-report.ts';
import { GATEWAYS_MISSING } from '../gateways/start-gateways.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { findPostgres } from '../support/postgres.ts';
import { findRedis } from '../support/redis.ts';

const directory = useNewDirectory();
const at = (name: string): string => join(directory(), name);

/** One fault of each part at least, and every protocol. */
const SCENARIO = `
name: short
duration_s: 8
gateways: 2
clients: { http: 3, batches: 1, websocket: 2, grpc: 2, wallets: 1, trees: 1, keys: 1 }
faults:
  - { part: node, kind: lag, every_ms: [200, 1000], slots: [1, 30] }
  - { part: node, kind: reset, every_ms: [200, 1000], for_ms: [200, 1000] }
  - { part: node, kind: kill, every_ms: [500, 1500], for_ms: [200, 1000] }
  - { part: gateway, kind: pause, every_ms: [1000, 2000], for_ms: [200, 500] }
  - { part: postgres, kind: cut_off, every_ms: [2000, 4000], for_ms: [200, 500] }
  - { part: redis, kind: cut_off, every_ms: [1000, 3000], for_ms: [200, 500] }
  - { part: postgres, kind: kill, every_ms: [3000, 5000], for_ms: [200, 500] }
  - { part: redis, kind: kill, every_ms: [2000, 4000], for_ms: [200, 500] }
  - { part: signer, kind: kill, every_ms: [2000, 4000] }
  - { part: receiver, kind: reset, every_ms: [1000, 3000], for_ms: [200, 1000] }
`;

if (GATEWAYS_MISSING !== undefined)
  test('a short run of the lab', (context) => context.skip(GATEWAYS_MISSING));
else test('a short run with the configuration of an operator holds, and its report is signed', runShort);

async function runShort(): Promise<void> {
  writeFileSync(at('scenario.yaml'), SCENARIO);
  const upstreams = [1, 2, 3].map((name) => ({ url: `http://127.0.0.1:1/${name}`, name: `rack-${name}` }));
  const networks = [{ environment: 'mainnet', upstreams }];
  writeFileSync(
    at('keyslot.json'),
    JSON.stringify({ data_dir: at('data'), networks, upstream: { patience_ms: 1_000 } }),
  );
  const out: string[] = [];
  const write = (text: string): void => void out.push(text);
  const env = {
    KEYSLOT_LAB_DATABASE_URL: (await findPostgres()) ?? '',
    KEYSLOT_LAB_REDIS_URL: (await findRedis()) ?? '',
  };
  const terminal = { env, writeOut: write, writeError: write };
  const args = [at('scenario.yaml'), '--config', at('keyslot.json'), '--out', at('out')];
  const code = await runCommandLine(['lab', 'run', ...args], terminal);
  const { report } = JSON.parse(readFileSync(at('out/lab-report.json'), 'utf8')) as SignedReport;
  expect(report.breaks).toEqual([]);
  expect(code).toBe(0);
  const held = report.invariants.filter(({ state }) => state === 'held').map(({ name }) => name);
  expect(INVARIANT_NAMES.filter((name) => !held.includes(name) && name !== 'destroyed_signs')).toEqual([]);
  expect(report.installation).toMatchObject({
    network: 'solana-mainnet',
    nodes: ['rack-1', 'rack-2', 'rack-3'],
  });
  expect(new Set(report.faults.map(({ part }) => part)).size).toBeGreaterThan(2);
  expect(readFileSync(at('out/lab-report.html'), 'utf8')).toContain(
    'Every invariant that was looked at held.',
  );
  expect(
    await runCommandLine(
      ['lab', 'verify', at('out/lab-report.json'), '--config', at('keyslot.json')],
      terminal,
    ),
  ).toBe(0);
}
