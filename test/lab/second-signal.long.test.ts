import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { clearRedis } from './gateways/installation.ts';
import { GATEWAYS_MISSING } from '../gateways/start-gateways.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { startNode } from '../support/node-process.ts';
import { findPostgres } from '../support/postgres.ts';
import { findRedis } from '../support/redis.ts';

const directory = useNewDirectory();

if (GATEWAYS_MISSING !== undefined) test('a second signal', (context) => context.skip(GATEWAYS_MISSING));
else test('a second signal ends a run at once, and says what is left behind', interrupt);

async function interrupt(): Promise<void> {
  const [database = '', redis = ''] = [await findPostgres(), await findRedis()];
  const lab = startNode(['test/lab/main.ts', 'calm', '--out', directory()], {
    KEYSLOT_LAB_DATABASE_URL: database,
    KEYSLOT_LAB_REDIS_URL: redis,
  });
  const says = (text: string) =>
    eventually(
      `the lab says ${text}`,
      () => {
        if (lab.stderr().includes(text)) return true;
        if (lab.ended() !== undefined) throw new Error(`${lab.ended()}: ${lab.stderr()}`);
        return undefined;
      },
      { timeoutMs: 120_000 },
    );
  await says('clients at work');
  process.kill(lab.pid, 'SIGINT');
  process.kill(lab.pid, 'SIGTERM');
  await eventually('it has ended', () => lab.ended());
  expect(lab.ended()).toBe('exit code 130');
  const [, told = ''] = lab.stderr().split('the run ends at once, and leaves behind\n');
  const find = (pattern: RegExp): string => pattern.exec(told)?.[1] ?? '';
  const made = {
    directory: find(/^ {2}directory (\S+)$/m),
    database: find(/^ {2}database (\w+)$/m),
    prefix: find(/^ {2}keys (\S+)\* in Redis$/m),
    pids: [find(/^ {2}process (\d+) \(gateway-1\)$/m), find(/^ {2}process (\d+) \(signer of gateway-1\)$/m)],
  };
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    expect(existsSync(made.directory)).toBe(true);
    const found = await client.query('select 1 from pg_database where datname = $1', [made.database]);
    expect(found.rowCount).toBe(1);
    expect(made.prefix).toMatch(/^keyslot-lab-[\w-]+:$/);
    // A gateway is killed with the lab, and its signer ends.
    for (const pid of made.pids) {
      expect(Number(pid)).toBeGreaterThan(1);
      await eventually('the process is gone', () => !existsSync(`/proc/${pid}/exe`) || undefined);
    }
  } finally {
    if (made.database !== '') await client.query(`drop database ${made.database} with (force)`);
    await client.end();
    await rm(made.directory, { recursive: true, force: true });
    if (made.prefix !== '') await clearRedis(redis, made.prefix);
  }
}
